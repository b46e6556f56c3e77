/* SPDX-License-Identifier: MIT */
/* @@kernels: 6.1 6.12 */
/* Integer arithmetic is C's: signs, sizes, precedence, division towards zero. */
#pragma D option quiet
BEGIN
{
	printf("%d %d %d %d\n", 7 / 2, -7 / 2, 7 % 3, -7 % 3);
	printf("%d %d %d\n", 1 + 2 * 3 - 4, (1 + 2) * (3 - 4), 10 - 3 - 2);
	printf("%x %x %x %x\n", 0xf0 | 0xf, 0xff & 0x3c, 0xff ^ 0xf, (unsigned int)~0);
	printf("%d %d %d\n", 1 << 10, 1024 >> 3, -16 >> 2);
	printf("%u %u\n", 18446744073709551615, (unsigned long long)-1 / 10);
	printf("%d %d %d\n", (char)0x1ff, (unsigned char)0x1ff, (short)0x18000);
	printf("%d %d %d %d\n", 3 < 4, 3 > 4, 3 == 3, 3 != 3);
	printf("%d %d %d %d\n", 1 && 0, 1 || 0, 1 ^^ 1, !5);
	printf("%d %d\n", -1 < 1U, (long long)-1 < (long long)1U);
	printf("%d %d\n", 5 > 4 ? 10 : 20, 5 < 4 ? 10 : 20);
	printf("%d %d %d\n", sizeof(char), sizeof(int), sizeof(long));
	exit(0);
}
