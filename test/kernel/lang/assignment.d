/* SPDX-License-Identifier: MIT */
/* @@kernels: 6.1 6.12 */
/* All assignment operators, increments before and after. */
#pragma D option quiet
BEGIN
{
	a = 10;
	a += 5;
	a -= 3;
	a *= 4;
	a /= 6;
	a %= 5;
	a <<= 4;
	a |= 3;
	a &= 0x32;
	a ^= 0xf;
	a >>= 1;
	printf("%d\n", a);
	this->b = a++;
	this->c = ++a;
	this->d = a--;
	this->e = --a;
	printf("%d %d %d %d %d\n", this->b, this->c, this->d, this->e, a);
	exit(0);
}
