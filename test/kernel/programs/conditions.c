/* SPDX-License-Identifier: MIT */
/*
 * conditions.c - functions that end in a conditional jump to another function, near or far, or
 * return: one for each condition. Call each with all pairs of some numbers, and print how often it
 * has jumped.
 */
#include <stdio.h>

/*
 * cc_C and far_C compare their arguments. They jump to aim_C and aim_far, which return 1, or return
 * 0 themselves.
 */
#define FUNCTIONS(c)                                                             \
	int cc_##c(int a, int b);                                                \
	int far_##c(int a, int b);                                               \
	asm(".text\n"                                                            \
	    ".globl cc_" #c "\n.type cc_" #c ", @function\n"                     \
	    "cc_" #c ": mov $0, %eax\ncmp %esi, %edi\nj" #c " aim_" #c "\nret\n" \
	    ".size cc_" #c ", . - cc_" #c "\n"                                   \
	    ".type aim_" #c ", @function\n"                                      \
	    "aim_" #c ": mov $1, %eax\nret\n"                                    \
	    ".size aim_" #c ", . - aim_" #c "\n"                                 \
	    ".globl far_" #c "\n.type far_" #c ", @function\n"                   \
	    "far_" #c ": mov $0, %eax\ncmp %esi, %edi\nj" #c " aim_far\nret\n"   \
	    ".size far_" #c ", . - far_" #c "\n");

#define ALL(F) \
	F(o) F(no) F(b) F(ae) F(e) F(ne) F(be) F(a) F(s) F(ns) F(p) F(np) F(l) F(ge) F(le) F(g)

ALL(FUNCTIONS)
asm(".section .text.far, \"ax\"\n.globl aim_far\n.type aim_far, @function\n"
    "aim_far: mov $1, %eax\nret\n.size aim_far, . - aim_far\n.text\n");

static void call(const char *name, int (*func)(int a, int b))
{
	static const int numbers[] = {0, 1, -1, 2, 255, -2147483647 - 1, 2147483647, 77};
	int jumps = 0, calls = 0;

	for (unsigned int i = 0; i < 8; i++)
		for (unsigned int j = 0; j < 8; j++, calls++)
			jumps += func(numbers[i], numbers[j]);
	printf("%s %d jumps, %d returns\n", name, jumps, calls - jumps);
}

#define CALL(c)                 \
	call("cc_" #c, cc_##c); \
	call("far_" #c, far_##c);

int main(void)
{
	ALL(CALL)
	return 0;
}
