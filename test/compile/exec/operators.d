/* Every operator on integers, with operands that are known only when it runs. */
BEGIN
{
	a = 29; b = 5; n = -7; u = (unsigned int)4000000000; l = 0x123456789abcdef0;
	printf("%d %d %d %d %d\n", a + b, a - b, a * b, a / b, a % b);
	printf("%d %d %d %d\n", n / 2, n % 2, n >> 1, n * n);
	printf("%d %d %d %d %d\n", a & b, a | b, a ^ b, a << b, a >> 2);
	printf("%d %d %d %d\n", ~a, -a, !a, +a);
	printf("%d %d %d %d %d %d\n", a < b, a <= b, a > b, a >= b, a == b, a != b);
	printf("%d %d %d %d\n", n < b, n > b, n < 0, n >= -7);
	printf("%d %d %d %d\n", a && b, a && !b, !a || !b, a ^^ b);
	printf("%d %d %d\n", a ^^ !b, !a ^^ b, !a ^^ !b);
	printf("%d %d\n", a > b ? a : b, a < b ? a : b);
	printf("%u %u %u\n", u + u, u * 3, u << 1);
	printf("%u %d %d\n", u / 7, u > n, (int)u);
	printf("%x %x %x\n", l, l >> 36, l << 4);
	printf("%d %d\n", (a, b), (a = 3, a + 1));
	printf("%d %d\n", 1 + 2 * 3 - 4 / 2 % 3, (1 + 2) * (3 - 4) / -1);
	printf("%d\n", 1 | 2 ^ 3 & 4 == 4 << 1 > 2);
	exit(0);
}
