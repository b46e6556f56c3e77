/* args: -C -Iinclude -DFORTY=40 -DGONE=1 -UGONE */
#include <stddef.h>
#include "values.h"
#define TWICE(x) ((x) * 2)
#if defined(GONE) || !defined(FORTY)
#error the command line is not heeded
#endif
#ifndef linux
int linux;	/* it's a name like others */
#endif

BEGIN
{
	printf("%d %d %d %d\n", SEVEN, FORTY, TWICE(3), sizeof (struct pair));
	printf("%d %08x %d %d %d %d\n", __SUNW_D, __SUNW_D_VERSION, __SUNW_D_64, __linux, __unix, __SVR4);
	printf("line %d of %s\n", __LINE__, __FILE__);
	exit(0);
}
