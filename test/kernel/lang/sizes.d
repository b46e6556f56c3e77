/* SPDX-License-Identifier: MIT */
/* @@kernels: 6.1 6.12 */
/* Long expressions and many variables compile and run: registers spill. */
#pragma D option quiet
BEGIN
{
	a = 1; b = 2; c = 3; d = 4; e = 5; f = 6; g = 7; h = 8; i = 9; j = 10;
	printf("%d\n", (a + (b + (c + (d + (e + (f + (g + (h +
	       (i + (j + (a + (b + (c + d))))))))))))));
	printf("%d\n", ((a * b + c * d) * (e * f + g * h) + (i * j + a * b) * (c * d + e * f)) %
	       ((a + b) * (c + d) + (e + f) * (g + h)));
	exit(0);
}
