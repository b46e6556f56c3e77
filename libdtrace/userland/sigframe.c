/* SPDX-License-Identifier: MIT */
/*
 * sigframe.c - finds signal frames on stacks.
 *
 * The kernel writes a signal frame (struct rt_sigframe, arch/x86/include/asm/sigframe.h) on the
 * stack on which the handler is to run: the address of the code that calls rt_sigreturn(), and the
 * struct ucontext of the interrupted code (asm/ucontext.h, asm/sigcontext.h). No register leads to
 * it. The search tries each word as the beginning of a frame.
 *
 * The program may write what it likes to its stacks, so the work for one process is limited.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../list.h"
#include "sigframe.h"

#define STACK_MOST    (1 << 20)	     /* bytes of a stack that are searched */
#define STACKS_MOST   8		     /* each handler of a thread may have a stack of its own */
#define SEARCHED_MOST (256ULL << 20) /* bytes, in one process */
#define FRAMES_MOST   65536

/* The words of a frame. */
enum {
	RETURN = 0, /* address of the code that calls rt_sigreturn() */
	FLAGS = 1,  /* uc_flags */
	LINK = 2,   /* uc_link */
	SP = 21,    /* rsp, rip and eflags of the interrupted code */
	IP = 22,
	EFLAGS = 23,
	SEGMENTS = 24, /* cs, gs, fs and ss, 16 bits each */
	WORDS = 25
};

#define FLAGS_KNOWN 7	 /* UC_FP_XSTATE, UC_SIGCONTEXT_SS, UC_STRICT_RESTORE_SS */
#define EFLAGS_ONE  2	 /* the bit that is always set */
#define CS_64	    0x33 /* of 64-bit code */

/* Stacks to search. */
struct stacks {
	uint64_t sp[STACKS_MOST];
	size_t n;
};

/* A search for one thread. */
struct search {
	int mem;
	const struct dt_space *space;
	bool (*match)(const void *arg, uint64_t ip);
	const void *arg;
	struct dt_sigframes *frames;
	struct stacks stacks;
};

/* Return whether the code at an address is mov $15, %rax (or %eax); syscall. */
static bool code_calls(const struct search *s, uint64_t addr)
{
	static const uint8_t call[] = {15, 0, 0, 0, 0x0f, 0x05};
	const struct dt_range *range = dt_space_at(s->space, addr);
	uint8_t code[16];
	ssize_t got = 0;

	if (range && range->executable)
		got = pread(s->mem, code, sizeof(code), (off_t)addr);
	return got > 0 && memmem(code, (size_t)got, call, sizeof(call));
}

/*
 * Return 1 if the code at an address calls rt_sigreturn(), which is looked up once; 0; or -E2BIG.
 */
static int code_returns(const struct search *s, uint64_t addr)
{
	struct dt_sigframes *frames = s->frames;

	for (size_t i = 0; i < frames->ncalls; i++)
		if (frames->calls[i].addr == addr)
			return frames->calls[i].yes;
	if (frames->ncalls == DT_SIGFRAME_CALLS)
		return -E2BIG;
	frames->calls[frames->ncalls].addr = addr;
	frames->calls[frames->ncalls].yes = code_calls(s, addr);
	return frames->calls[frames->ncalls++].yes;
}

/* Return 1 if a frame begins at some words, 0, or -E2BIG. */
static int is_frame(const struct search *s, const uint64_t *words)
{
	if ((words[SEGMENTS] & 0xffff) != CS_64 || words[LINK] ||
	    (words[FLAGS] & ~(uint64_t)FLAGS_KNOWN) || !(words[EFLAGS] & EFLAGS_ONE) ||
	    words[EFLAGS] > UINT32_MAX)
		return 0;
	return code_returns(s, words[RETURN]);
}

static int frame_add(struct dt_sigframes *frames, uint64_t ip, uint64_t at)
{
	struct dt_sigframe *more;

	if (frames->n == FRAMES_MOST)
		return -E2BIG;
	more = dt_list_grow(frames->list, frames->n, sizeof(*more));
	if (!more)
		return -ENOMEM;
	frames->list = more;
	frames->list[frames->n++] = (struct dt_sigframe){ip, at};
	return 0;
}

/*
 * Add a stack. A thread in the code that calls rt_sigreturn() has its stack pointer behind the
 * first word of the frame.
 */
static void stack_add(struct stacks *stacks, uint64_t sp)
{
	if (stacks->n < STACKS_MOST)
		stacks->sp[stacks->n++] = (sp & ~7ULL) - 8;
}

/* Return how many bytes of anonymous memory are mapped from sp on, for writing, up to a limit. */
static uint64_t stack_size(const struct dt_space *space, uint64_t sp)
{
	const struct dt_range *range;
	uint64_t end = sp;

	while (end - sp < STACK_MOST && (range = dt_space_at(space, end)) && range->writable &&
	       !range->ino)
		end = range->end;
	return end - sp < STACK_MOST ? end - sp : STACK_MOST;
}

/*
 * Add the frames of the stack that begins at sp, and the stacks of code that was interrupted
 * elsewhere. Return 0 or a negative errno.
 */
static int stack_search(struct search *s, uint64_t sp)
{
	const ssize_t got = pread(s->mem, s->frames->words, stack_size(s->space, sp), (off_t)sp);
	int rc = 0;

	if (got <= 0)
		return 0;
	s->frames->searched += (uint64_t)got;
	if (s->frames->searched > SEARCHED_MOST)
		return -E2BIG;
	for (ssize_t i = 0; rc >= 0 && i + WORDS <= got / 8; i++) {
		const uint64_t *words = s->frames->words + i;

		rc = is_frame(s, words);
		if (rc <= 0)
			continue;
		if (words[SP] - 8 - sp >= (uint64_t)got)
			stack_add(&s->stacks, words[SP]);
		if (s->match(s->arg, words[IP]))
			rc = frame_add(s->frames, words[IP], sp + 8 * (uint64_t)(i + IP));
	}
	return rc < 0 ? rc : 0;
}

int dt_sigframes_find(int mem, const struct dt_space *space, uint64_t sp,
		      bool (*match)(const void *arg, uint64_t ip), const void *arg,
		      struct dt_sigframes *frames)
{
	struct search s = {
		.mem = mem, .space = space, .match = match, .arg = arg, .frames = frames};
	int error = 0;

	if (!frames->words)
		frames->words = malloc(STACK_MOST);
	if (!frames->words)
		return -ENOMEM;
	stack_add(&s.stacks, sp);
	for (size_t i = 0; !error && i < s.stacks.n; i++)
		error = stack_search(&s, s.stacks.sp[i]);
	return error;
}

void dt_sigframes_free(struct dt_sigframes *frames)
{
	free(frames->list);
	free(frames->words);
	*frames = (struct dt_sigframes){0};
}
