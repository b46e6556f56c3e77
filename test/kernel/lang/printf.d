/* SPDX-License-Identifier: MIT */
/* @@kernels: 6.1 6.12 */
/* printf: conversions, flags, widths, precisions. */
#pragma D option quiet
BEGIN
{
	printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d]\n", 42, 42, 42, 42, 42, 42);
	printf("[%u] [%o] [%x] [%X] [%#x] [%#o]\n", 42, 42, 42, 42, 42, 42);
	printf("[%i] [%hhd] [%hd] [%ld] [%lld]\n", -1, (char)-1, (short)-2, -3L, -4LL);
	printf("[%s] [%10s] [%-10s] [%.2s]\n", "word", "word", "word", "word");
	printf("[%c] [%3c] [%%]\n", 'x', 'y');
	printf("[%*d] [%-*d] [%.*s]\n", 6, 42, 6, 42, 3, "abcdef");
	printf("[%p]\n", (void *)0x1234abcd);
	printf("[%S]\n", "tab\there");
	printf("[%d %s %d]\n", 1, "two", 3);
	printf("%Y\n", 0);
	exit(0);
}
