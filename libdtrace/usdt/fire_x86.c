/* SPDX-License-Identifier: MIT */
/*
 * fire_x86.c - registers, arguments and NOPs of a stopped process on x86-64, 32-bit ones included.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include "fire.h"
#include "../process/memory.h"

#define NREGS	      16
#define STACK_BELOW   0x4000 /* the site's stack is so far below the program's, */
#define SCRATCH_BELOW 0x8000 /* and what registers point to below that */
#define SCRATCH_STEP  0x100
#define NOP	      0x90
#define PREFIX	      0x66
#define INT3	      0xcc
#define SITE_MAX      6 /* bytes of code */

struct dt_fire_machine {
	pid_t pid;
	int mem;
	struct user_regs_struct found, regs;
	struct user_fpregs_struct fp;
	bool is_address[NREGS]; /* an argument's address is made with it */
	bool is_written[NREGS]; /* it has a value */
};

/* ---- registers ---- */

/* Return the register of a number of enum dof_reg. */
static unsigned long long *reg_at(struct user_regs_struct *r, unsigned int reg)
{
	unsigned long long *const regs[NREGS] = {
		(void *)&r->rax, (void *)&r->rcx, (void *)&r->rdx, (void *)&r->rbx,
		(void *)&r->rsp, (void *)&r->rbp, (void *)&r->rsi, (void *)&r->rdi,
		(void *)&r->r8,	 (void *)&r->r9,  (void *)&r->r10, (void *)&r->r11,
		(void *)&r->r12, (void *)&r->r13, (void *)&r->r14, (void *)&r->r15,
	};

	return regs[reg % NREGS];
}

static uint64_t reg_get(struct dt_fire_machine *m, unsigned int reg)
{
	return *reg_at(&m->regs, reg);
}

static void reg_set(struct dt_fire_machine *m, unsigned int reg, uint64_t value)
{
	*reg_at(&m->regs, reg) = value;
	m->is_written[reg % NREGS] = true;
}

struct dt_fire_machine *dt_fire_open(pid_t pid)
{
	struct dt_fire_machine *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->pid = pid;
	m->mem = dt_memory_open(pid, O_RDWR);
	if (m->mem != -1 && ptrace(PTRACE_GETREGS, pid, NULL, &m->found) == 0 &&
	    ptrace(PTRACE_GETFPREGS, pid, NULL, &m->fp) == 0)
		return m;
	dt_fire_close(m);
	return NULL;
}

void dt_fire_close(struct dt_fire_machine *m)
{
	if (m && m->mem != -1)
		close(m->mem);
	free(m);
}

/* ---- where arguments are ---- */

/* Return whether the address of an argument has a base register. */
static bool has_base(const dof_argloc_t *loc)
{
	return loc->al_base != DOF_REG_NONE && loc->al_base != DOF_REG_IP;
}

/* Return the base of the segment that an argument is relative to. */
static uint64_t segment(const struct dt_fire_machine *m, const dof_argloc_t *loc, int bits)
{
	if (!(loc->al_flags & DOF_LOCF_TLS))
		return 0;
	return bits == 64 ? m->found.fs_base : m->found.gs_base;
}

static int machine_bits(const struct dt_fire_machine *m)
{
	return m->found.cs == 0x23 ? 32 : 64;
}

/* Return the address of an argument in memory, by the registers as they are. */
static uint64_t memory_at(struct dt_fire_machine *m, const dof_argloc_t *loc)
{
	int bits = machine_bits(m);
	uint64_t at = segment(m, loc, bits) + (uint64_t)loc->al_disp;

	if (has_base(loc))
		at += reg_get(m, loc->al_base);
	if (loc->al_index != DOF_REG_NONE)
		at += reg_get(m, loc->al_index) * loc->al_scale;
	return bits == 32 ? (uint32_t)at : at;
}

/*
 * Give the registers of an address values that make it a memory cell of the argument's own: the
 * base takes what the displacement leaves, an index is 0.
 */
/* Set the registers of argument i's address so that it is in the scratch memory. */
static void aim(struct dt_fire_machine *m, unsigned int i, const dof_argloc_t *loc)
{
	uint64_t scratch = m->found.rsp - SCRATCH_BELOW - i * SCRATCH_STEP;

	if (loc->al_index != DOF_REG_NONE) {
		m->is_address[loc->al_index % NREGS] = true;
		if (!m->is_written[loc->al_index % NREGS])
			reg_set(m, loc->al_index, 0);
	}
	if (!has_base(loc))
		return;
	m->is_address[loc->al_base % NREGS] = true;
	if (!m->is_written[loc->al_base % NREGS])
		reg_set(m, loc->al_base, (scratch & ~15ULL) - (uint64_t)loc->al_disp);
}

/* ---- their values ---- */

/* Return the bits of argument i's value in a number of its size. */
static uint64_t wanted_bits(unsigned int i, const dof_argloc_t *loc)
{
	const double wide = i + 1;
	const float narrow = i + 1;
	uint64_t bits = i + 1;

	if (loc->al_flags & DOF_LOCF_FLOAT && loc->al_size == sizeof(wide))
		memcpy(&bits, &wide, sizeof(wide));
	else if (loc->al_flags & DOF_LOCF_FLOAT && loc->al_size == sizeof(narrow)) {
		bits = 0;
		memcpy(&bits, &narrow, sizeof(narrow));
	}
	return bits;
}

/* Return old with size bytes, shift bits from its lowest, replaced. */
static uint64_t merged(uint64_t old, uint64_t bits, unsigned int size, unsigned int shift)
{
	uint64_t mask = size < 8 ? (1ULL << size * 8) - 1 : ~0ULL;

	return (old & ~(mask << shift)) | (bits & mask) << shift;
}

/* Write bits to a register. A register that is part of an address keeps its value. */
static void register_put(struct dt_fire_machine *m, unsigned int reg, uint64_t bits,
			 const dof_argloc_t *loc)
{
	unsigned int shift = loc->al_flags & DOF_LOCF_HIGHBYTE ? 8 : 0;

	if (!m->is_address[reg % NREGS])
		reg_set(m, reg, merged(reg_get(m, reg), bits, loc->al_size, shift));
}

/* Write the value of argument i where it is. */
static void argument_put(struct dt_fire_machine *m, unsigned int i, const dof_argloc_t *loc)
{
	uint64_t bits = wanted_bits(i, loc);

	switch (loc->al_kind) {
	case DOF_LOC_REG:
		register_put(m, loc->al_base, bits, loc);
		break;
	case DOF_LOC_PAIR:
		if (!m->is_address[loc->al_base % NREGS])
			reg_set(m, loc->al_base, (uint32_t)bits);
		if (!m->is_address[loc->al_index % NREGS])
			reg_set(m, loc->al_index, bits >> 32);
		break;
	case DOF_LOC_XMM:
		memcpy(&m->fp.xmm_space[loc->al_base % NREGS * 4], &bits, 8);
		break;
	case DOF_LOC_MEM:
		/* A failure shows when the argument is read. */
		if (pwrite(m->mem, &bits, loc->al_size, memory_at(m, loc)) == -1)
			break;
	}
}

/* Return a number of an argument's size, extended to 64 bits. */
static uint64_t extended(uint64_t bits, const dof_argloc_t *loc)
{
	unsigned int unused = loc->al_size < 8 ? 64 - loc->al_size * 8 : 0;

	bits <<= unused;
	return loc->al_flags & DOF_LOCF_SIGNED ? (uint64_t)((int64_t)bits >> unused)
					       : bits >> unused;
}

/* Set *value to what a tracer will read. Return false if it cannot be read. */
static bool argument_get(struct dt_fire_machine *m, const dof_argloc_t *loc, uint64_t *value)
{
	uint64_t bits = 0;

	switch (loc->al_kind) {
	case DOF_LOC_CONST:
		*value = (uint64_t)loc->al_disp;
		return true;
	case DOF_LOC_REG:
		bits = reg_get(m, loc->al_base) >> (loc->al_flags & DOF_LOCF_HIGHBYTE ? 8 : 0);
		break;
	case DOF_LOC_PAIR:
		bits = (uint32_t)reg_get(m, loc->al_base) | reg_get(m, loc->al_index) << 32;
		break;
	case DOF_LOC_XMM:
		memcpy(&bits, &m->fp.xmm_space[loc->al_base % NREGS * 4], 8);
		break;
	case DOF_LOC_MEM:
		if (loc->al_size > sizeof(bits) ||
		    pread(m->mem, &bits, loc->al_size, memory_at(m, loc)) != loc->al_size)
			return false;
		break;
	default:
		return false;
	}
	*value = extended(bits, loc);
	return true;
}

/* Write all arguments. Addresses come first: another argument in such a register has that value. */
static void arrange_all(struct dt_fire_machine *m, const struct dt_fire_site *site)
{
	for (unsigned int i = 0; i < site->nargs; i++)
		if (site->locs[i].al_kind == DOF_LOC_MEM)
			aim(m, i, &site->locs[i]);
	for (unsigned int i = 0; i < site->nargs; i++)
		argument_put(m, i, &site->locs[i]);
}

int dt_fire_arrange(struct dt_fire_machine *m, struct dt_fire_site *site)
{
	m->regs = m->found;
	memset(m->is_address, 0, sizeof(m->is_address));
	memset(m->is_written, 0, sizeof(m->is_written));
	reg_set(m, DOF_REG_SP, m->found.rsp - STACK_BELOW);
	m->is_address[DOF_REG_SP] = true;
	arrange_all(m, site);
	for (unsigned int i = 0; i < site->nargs; i++)
		if (!argument_get(m, &site->locs[i], &site->values[i]))
			return (int)i;
	return -1;
}

/* ---- the instructions ---- */

/* Return whether code is a NOP as sites have it, or a breakpoint on one. */
static bool is_nop(const uint8_t *code)
{
	if (*code == INT3)
		return true;
	while (*code == PREFIX)
		code++;
	return *code == NOP;
}

/* Execute one instruction. Return NULL, or why that failed. */
static const char *step(struct dt_fire_machine *m)
{
	int status;

	if (ptrace(PTRACE_SINGLESTEP, m->pid, NULL, NULL) == -1)
		return strerror(errno);
	while (waitpid(m->pid, &status, __WALL) == -1)
		if (errno != EINTR)
			return strerror(errno);
	if (!WIFSTOPPED(status))
		return "the program ended";
	if (WSTOPSIG(status) != SIGTRAP)
		return strsignal(WSTOPSIG(status));
	return ptrace(PTRACE_GETREGS, m->pid, NULL, &m->regs) == -1 ? strerror(errno) : NULL;
}

/*
 * From the NOP of other tracers, one byte before ours, if there is one: as what is no such NOP it
 * does no harm.
 */
const char *dt_fire_run(struct dt_fire_machine *m, const struct dt_fire_site *site)
{
	uint8_t code[1 + SITE_MAX] = {0};
	const char *why = NULL;
	uint64_t start;

	if (pread(m->mem, code, sizeof(code) - 1, site->trap - 1) != sizeof(code) - 1)
		return "its code cannot be read";
	if (!is_nop(code + 1))
		return "there is no NOP";
	start = *code == NOP || *code == INT3 ? site->trap - 1 : site->trap;
	m->regs.rip = start;
	m->regs.orig_rax = -1;
	if (ptrace(PTRACE_SETREGS, m->pid, NULL, &m->regs) == -1 ||
	    ptrace(PTRACE_SETFPREGS, m->pid, NULL, &m->fp) == -1)
		return strerror(errno);
	while (!why && m->regs.rip >= start && m->regs.rip <= site->trap)
		why = step(m);
	if (!why && (m->regs.rip < start || m->regs.rip > site->trap + SITE_MAX))
		why = "it does not end where it should";
	return why;
}
