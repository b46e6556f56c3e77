/* args: -xbtfpath=TYPES -xnolibs */
struct msghdr *header;

BEGIN
{
	header = copyin(arg1, sizeof (struct msghdr));
}
