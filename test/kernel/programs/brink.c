/* SPDX-License-Identifier: MIT */
/*
 * brink.c - functions at the first and the last bytes of a mapping that has no others beside it, as
 * some linkers make of aligned sections. Prints what they return.
 */
#include <stdio.h>

#define COUNT 10

int brink_first(int a);
int brink_last(int a);

/* clang-format off */
__asm__(".section .brink, \"ax\", @progbits\n"
	".globl brink_first\n.type brink_first, @function\n"
	"brink_first: lea 1(%rdi), %eax\nret\n.size brink_first, . - brink_first\n"
	".org 4088, 0xcc\n"
	".globl brink_last\n.type brink_last, @function\n"
	"brink_last: nopl (%rax)\njmp brink_first\n.size brink_last, . - brink_last\n"
	".text\n");
/* clang-format on */

int main(void)
{
	int sum = 0;

	for (int i = 0; i < COUNT; i++)
		sum += brink_first(i) + brink_last(i);
	printf("sum %d\n", sum);
	return 0;
}
