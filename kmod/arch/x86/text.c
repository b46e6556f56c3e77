// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* text.c - the code of the kernel and its modules. Jumps are "Jcc" and "JMP" of Intel's manual. */
#include <linux/errno.h>
#include <linux/kconfig.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "target.h"
#include "text.h"

#define CHUNK 1024 /* bytes that are read at a time */
#define INT3  0xcc

int text_each(unsigned long start, unsigned long end, text_look_t *look, void *arg)
{
	uint8_t code[TEXT_AROUND + CHUNK + TEXT_AROUND];
	unsigned long site;
	int error = 0;
	size_t n;

	for (site = start; site < end && !error; site += n) {
		size_t head = min_t(size_t, TEXT_AROUND, site - start), tail;

		n = min_t(size_t, CHUNK, end - site);
		tail = min_t(size_t, TEXT_AROUND, end - site - n);
		memset(code, 0, TEXT_AROUND);
		memset(code + TEXT_AROUND + n, 0, TEXT_AROUND);
		if (!target_load_kernel(code + TEXT_AROUND - head, site - head, head + n + tail))
			error = look(arg, code + TEXT_AROUND, n, site);
		if (fatal_signal_pending(current))
			error = -EINTR;
		cond_resched();
	}
	return error;
}

struct text_search {
	text_jump_t *found;
	void *arg;
};

/* Sizes of jumps by their first byte: Jcc, LOOPcc and JRCXZ, JMP, and Jcc of two bytes. */
static const uint8_t text_jump_sizes[256] = {
	[0x70 ... 0x7f] = 2, [0xe0 ... 0xe3] = 2, [0xeb] = 2, [0xe9] = 5, [0x0f] = 6};

/* Return how far the jump at p, of that size, leads from its end. */
static unsigned long text_jump_distance(const uint8_t *p, uint8_t size)
{
	int32_t distance;

	if (size == 2)
		return (unsigned long)(long)(int8_t)p[1];
	memcpy(&distance, p + size - sizeof(distance), sizeof(distance));
	return (unsigned long)(long)distance;
}

/* Report where a jump of that size at p, whose address is site, leads. */
static void text_jump_at(const struct text_search *search, const uint8_t *p, unsigned long site,
			 uint8_t size)
{
	search->found(search->arg, site + size + text_jump_distance(p, size));
}

static int text_jumps_in(void *arg, const uint8_t *code, size_t n, unsigned long site)
{
	const struct text_search *search = arg;
	const uint8_t *p;

	for (p = code; p < code + n; p++, site++) {
		bool is_long = (p[1] & 0xf0) == 0x80;

		if (*p == INT3) { /* a kprobe may be on a jump of any kind */
			text_jump_at(search, p, site, 2);
			text_jump_at(search, p, site, 5);
		}
		if (*p == INT3 || *p == 0x0f ? is_long : text_jump_sizes[*p])
			text_jump_at(search, p, site, *p == INT3 ? 6 : text_jump_sizes[*p]);
	}
	return 0;
}

int text_jumps(unsigned long start, unsigned long end, text_jump_t *found, void *arg)
{
	struct text_search search = {.found = found, .arg = arg};

	/* with these, the compiler makes no tables of jumps */
	if (!IS_ENABLED(CONFIG_RETPOLINE) && !IS_ENABLED(CONFIG_MITIGATION_RETPOLINE) &&
	    !IS_ENABLED(CONFIG_X86_KERNEL_IBT))
		return -EOPNOTSUPP;
	return text_each(start, end, text_jumps_in, &search);
}
