/* Constants are computed in 64 bits, as variables are. */
inline int SEC = 1000000000;
enum { K = 1000000000 };
long l;
int i;
BEGIN
{
	l = 60 * 1000000000; x = 60;
	printf("%d %d %d\n", l, l == x * 1000000000, 60 * SEC > 1000);
	l = K * 4;
	printf("%d %d\n", l, timestamp + 3 * SEC > timestamp);
	i = 5 * SEC;
	printf("%d %d %d\n", i, (int)(5 * SEC), 65536 * 65536 == 0);
	l = -(3 * SEC);
	printf("%d %d\n", l, -3000000000);
	@ = sum(5 * SEC);
	l = sizeof (long) == 8 ? 60 * SEC : 0;
	printf("%d\n", l);
	printf("%u %u\n", 3000000000 * 2, 4294967295U + 1U);
	trace(60 * 1000000000); trace(x * 1000000000);
	exit(0);
}
