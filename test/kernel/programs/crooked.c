// SPDX-License-Identifier: MIT
/*
 * crooked.c - fire crooked:::at with stack and frame pointers to unmapped memory, in cycles, or
 * into the kernel. The ustack helper of a library runs for the values that are found there.
 *
 *	crooked libscript.so [writable]		writable: only stack pointers above writable memory
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sdt.h>

#define WORDS 8192

long fire_with(uint64_t sp, uint64_t fp);
/* clang-format off */
__asm__(".text\n.type fire_with, @function\nfire_with:\n"
	"push %rbx\n"
	"push %rbp\n"
	"mov %rsp, %rbx\n"
	"mov %rdi, %rsp\n"
	"mov %rsi, %rbp\n" STAP_PROBE_ASM(crooked, at)
	"mov %rbx, %rsp\n"
	"pop %rbp\n"
	"pop %rbx\n"
	"ret\n"
	".size fire_with, . - fire_with\n");
/* clang-format on */

static uint64_t *pages(int protection)
{
	return mmap(NULL, WORDS * sizeof(uint64_t), protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* Write count frames, step words apart; step may be negative or 0. */
static void chain(uint64_t *at, int count, long step)
{
	for (; count--; at += step) {
		at[0] = (uintptr_t)(at + step);
		at[1] = 0x1000 + count;
	}
}

/* Write words that look like return addresses of the helper's trampoline, with wrong data. */
static void pretend(uint64_t *words, void *library)
{
	uint64_t text = (uintptr_t)dlsym(library, "script_call");

	for (int i = 0; i + 3 < WORDS; i += 3) {
		words[i] = text + 1;
		words[i + 1] = 0x7470697263736f74;
		words[i + 2] = i % 2 ? 0xffffffff81000000 : (uintptr_t)&words[i];
	}
}

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	uint64_t *words = pages(PROT_READ | PROT_WRITE), *nothing = pages(PROT_NONE);
	uint64_t *lies = pages(PROT_READ | PROT_WRITE);
	uint64_t odd[] = {
		0,
		8,
		0xfff,
		0x7fffffffeff9,
		0x7ffffffff000,
		0x8000000000000000,
		0xffffffff81000000,
		0xfffffffffffffff0,
		UINT64_MAX,
		(uintptr_t)nothing,
		(uintptr_t)lies,
		(uintptr_t)&words[WORDS] - 8,
		(uintptr_t)&words[4100] + 3,
		(uintptr_t)&words[4200],
	};
	unsigned int n = sizeof(odd) / sizeof(odd[0]), first = argc > 2 ? n - 3 : 0;

	if (!library || words == MAP_FAILED || nothing == MAP_FAILED || lies == MAP_FAILED)
		return 3;
	chain(words, 4000, 2);
	pretend(lies, library);
	for (unsigned int i = first; i < n; i++)
		for (unsigned int k = 0; k < n; k++)
			fire_with(odd[i], odd[k]);
	words[4200] = (uintptr_t)&words[4200];
	fire_with(odd[13], odd[13]);
	chain(words + 4000, 1000, -2);
	fire_with((uintptr_t)(argc > 2 ? words + 4200 : words), (uintptr_t)&words[4000]);
	printf("fired %u times\n", (n - first) * n + 2);
	return 0;
}
