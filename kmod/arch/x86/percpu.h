/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * percpu.h - instructions that add to a 64-bit variable of their CPU, as the compiler makes them of
 * this_cpu_inc() and this_cpu_add(), or to one that all CPUs share, of atomic_long_inc(). The
 * kernel's counters change at these instructions only.
 */
#ifndef DTRACE_ARCH_X86_PERCPU_H
#define DTRACE_ARCH_X86_PERCPU_H

#include <linux/types.h>

struct pt_regs;

#define PERCPU_NO_REGISTER 0xff

/* An instruction. Registers have the processor's numbers, or are PERCPU_NO_REGISTER. */
struct percpu_add {
	unsigned long site;	/* its address */
	unsigned long constant; /* of the variable's address, counted from %gs: if not shared */
	uint8_t base;		/* register that is added to it, */
	uint8_t index, shift;	/* and a register that is shifted first */
	uint8_t addend;		/* register that is added to the variable; none: amount is */
	int32_t amount;		/* that number; with a register 1, or -1: it is subtracted */
	bool shared;		/* all CPUs share the variable */
	/*
	 * bytes of its lead, an instruction before it that changes no register but perhaps base; 0:
	 * there is none. Jumps may lead from elsewhere to the instruction, without the lead.
	 */
	uint8_t lead;
	uint8_t from;		    /* register at which, */
	unsigned long displacement; /* plus this, the lead loads base; or it changes no register */
};

/*
 * percpu_add_found_t - take a found instruction, which the function may not keep a pointer to.
 * Return 0 to go on.
 */
typedef int percpu_add_found_t(void *arg, const struct percpu_add *add);

/*
 * percpu_add_find - give found, with arg, each instruction from address start up to end that adds
 * to a variable of its CPU, or to a shared one. Bytes within other instructions may look like one:
 * a kprobe cannot be registered there. Return 0, what found has returned if that is another number,
 * or -EINTR: a fatal signal is pending. May sleep.
 */
int percpu_add_find(unsigned long start, unsigned long end, percpu_add_found_t *found, void *arg);
/* percpu_add_is_fixed - return whether the instruction changes one variable only. Any context. */
bool percpu_add_is_fixed(const struct percpu_add *add);
/*
 * percpu_add_variable - return the variable's address, counted from %gs: if not shared, for
 * registers at the instruction or at its lead. Any context.
 */
unsigned long percpu_add_variable(const struct percpu_add *add, struct pt_regs *regs);
/* percpu_add_amount - return what is about to be added. Any context. */
int64_t percpu_add_amount(const struct percpu_add *add, struct pt_regs *regs);

#endif
