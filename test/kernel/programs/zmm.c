/* SPDX-License-Identifier: MIT */
/*
 * zmm.c - fire with values in all registers of AVX-512, until standard input ends. Exit with status
 * 1 if a register has changed, 77 if the processor has none.
 */
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/sdt.h>

#define MASKS	  8
#define VECTORS	  32
#define EACH(op)  op(0) op(1) op(2) op(3) op(4) op(5) op(6) op(7)
#define LOAD_K(n) "kmovw " #n "*8(%0), %%k" #n "\n"
#define KEEP_K(n) "kmovw %%k" #n ", " #n "*8(%0)\n"
#define LOAD_4(a, b, c, d)                                                        \
	"vmovdqu64 " #a "*64(%0), %%zmm" #a "\nvmovdqu64 " #b "*64(%0), %%zmm" #b \
	"\nvmovdqu64 " #c "*64(%0), %%zmm" #c "\nvmovdqu64 " #d "*64(%0), %%zmm" #d "\n"
#define KEEP_4(a, b, c, d)                                                 \
	"vmovdqu64 %%zmm" #a ", " #a "*64(%0)\nvmovdqu64 %%zmm" #b ", " #b \
	"*64(%0)\nvmovdqu64 %%zmm" #c ", " #c "*64(%0)\nvmovdqu64 %%zmm" #d ", " #d "*64(%0)\n"
#define ALL_VECTORS(op)                                                                      \
	op(0, 1, 2, 3) op(4, 5, 6, 7) op(8, 9, 10, 11) op(12, 13, 14, 15) op(16, 17, 18, 19) \
		op(20, 21, 22, 23) op(24, 25, 26, 27) op(28, 29, 30, 31)

struct registers {
	uint64_t vectors[VECTORS][8], masks[MASKS];
};

static struct registers in, out;

/* Pass the site. The compiler uses no vector register here. */
__attribute__((target("general-regs-only"), noinline)) static void pass(void)
{
	__asm__ volatile(ALL_VECTORS(LOAD_4)::"r"(in.vectors));
	__asm__ volatile(EACH(LOAD_K)::"r"(in.masks));
	DTRACE_PROBE(zmm, hit);
	__asm__ volatile(ALL_VECTORS(KEEP_4)::"r"(out.vectors) : "memory");
	__asm__ volatile(EACH(KEEP_K)::"r"(out.masks) : "memory");
}

int main(void)
{
	struct pollfd input = {.fd = 0, .events = POLLIN};

	if (!__builtin_cpu_supports("avx512f"))
		return 77;
	for (uint64_t n = 1; poll(&input, 1, 0) == 0; n++) {
		for (int i = 0; i < VECTORS * 8; i++)
			in.vectors[i / 8][i % 8] = (n + (uint64_t)i) * 0x9e3779b97f4a7c15;
		for (int i = 0; i < MASKS; i++)
			in.masks[i] = (n * 31 + (uint64_t)i) & 0xffff;
		for (int i = 0; i < 100; i++) {
			pass();
			if (memcmp(&in, &out, sizeof(in)) != 0) {
				puts("a register has changed");
				return 1;
			}
		}
	}
	puts("the registers have kept their values");
	return 0;
}
