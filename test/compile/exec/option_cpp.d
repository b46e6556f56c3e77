/* args: -xcpp -xcpphdrs -xincdir=include -xdefine=ONE=1 -xdefine=TWO -xundef=TWO -xcppargs=-DTHREE=3 */
#include "values.h"
#ifndef TWO
BEGIN { printf("%d %d %d\n", ONE, THREE, SEVEN); exit(0); }
#endif
