/* args: -C -DANSWER=42 */
/* Headers of the C library: their functions are passed over, their types and constants are D's. */
#include <sys/mount.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <string.h>
#include <netinet/in.h>

BEGIN
{
	in = (struct sockaddr_in *)alloca(sizeof(struct sockaddr_in));
	in->sin_port = htons(80);
	printf("%d %d %d %d %d\n", MS_NOUSER == 0x80000000, ANSWER, O_RDWR, offsetof(struct stat, st_size), ntohs(in->sin_port));
	exit(0);
}
