/* SPDX-License-Identifier: MIT */
/*
 * narrow.c - fire ten times in a coroutine with a small stack, above memory without access.
 *
 *	narrow BYTES
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sdt.h>
#include <ucontext.h>

#define PAGE 4096

static ucontext_t outside, inside;

static void fire(void)
{
	for (int i = 0; i < 10; i++) {
		DTRACE_PROBE1(narrow, hit, "some text");
		swapcontext(&inside, &outside);
	}
}

int main(int argc, char **argv)
{
	const size_t size = argc > 1 ? strtoul(argv[1], NULL, 0) : PAGE;
	char *at = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED || size > PAGE || mprotect(at, PAGE, PROT_NONE) != 0)
		return 1;
	getcontext(&inside);
	inside.uc_stack.ss_sp = at + PAGE;
	inside.uc_stack.ss_size = size;
	inside.uc_link = &outside;
	makecontext(&inside, fire, 0);
	for (int i = 0; i < 10; i++)
		swapcontext(&outside, &inside);
	puts("done");
	return 0;
}
