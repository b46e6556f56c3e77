/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * target_process.c - common parts of the targets that are processes, the library's own and those
 * with an agent. Such a target has no kernel, and all processes are the session user's.
 */
#include "port.h"
#include "target.h"

int target_load_kernel(void *dst, uint64_t addr, size_t n)
{
	(void)dst, (void)addr, (void)n;
	return -EFAULT;
}

void target_thread_in_ns(const void *pid_ns, struct target_thread *t)
{
	(void)pid_ns, (void)t;
}

/* Only processes that belong to the session's user, or that root may trace, are joined. */
bool target_owns(const struct dtrace_cred *cred)
{
	(void)cred;
	return true;
}

uint64_t target_getf(uint32_t fd)
{
	(void)fd;
	return 0;
}

unsigned int target_ipl(void)
{
	return 0;
}

unsigned int target_stack(uint64_t *pcs, unsigned int n, const void *regs)
{
	(void)pcs, (void)n, (void)regs;
	return 0;
}

int target_kernel_reg(uint64_t *value, unsigned int reg, const void *regs)
{
	(void)value, (void)reg, (void)regs;
	return -EINVAL;
}

int target_d_path(char *buf, size_t size, uint64_t addr)
{
	(void)buf, (void)size, (void)addr;
	return -EFAULT;
}

int target_lock(struct target_lock *l, enum target_lock_kind kind, uint64_t addr)
{
	(void)l, (void)kind, (void)addr;
	return -EFAULT;
}

/* The library refuses programs with these two before they are enabled. */
void target_breakpoint(void)
{
}

void target_panic(const char *msg)
{
	(void)msg;
}
