/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * text.h - the code of the kernel and its modules, read in chunks, and where its jumps lead.
 */
#ifndef DTRACE_ARCH_X86_TEXT_H
#define DTRACE_ARCH_X86_TEXT_H

#include <linux/types.h>

#define TEXT_AROUND 15 /* bytes of an instruction at most */

/*
 * text_look_t - look at n bytes of code, of address site. TEXT_AROUND bytes are before and behind
 * them as well, of which those outside of the text are 0. Return 0 to go on.
 */
typedef int text_look_t(void *arg, const uint8_t *code, size_t n, unsigned long site);
/*
 * text_each - have look see the text from start up to end, in order. Return 0, what look has
 * returned if that is another number, or -EINTR: a fatal signal is pending. May sleep.
 */
int text_each(unsigned long start, unsigned long end, text_look_t *look, void *arg);

/* text_jump_t - take an address that a jump may lead to. */
typedef void text_jump_t(void *arg, unsigned long target);
/*
 * text_jumps - give found the targets of all jumps in the text from start up to end. Every byte is
 * taken for the first of an instruction, so that some are targets of none. Return as text_each;
 * -EOPNOTSUPP: the kernel has jumps by tables. May sleep.
 */
int text_jumps(unsigned long start, unsigned long end, text_jump_t *found, void *arg);

#endif
