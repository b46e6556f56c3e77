/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * target_user.c - what the engine asks about the traced system, in a process: the process plays
 * both the kernel and the traced process, and port_user_world overrides what is real.
 */
#include "engine.h"
#include "target.h"
#include <sys/uio.h>
#include <unistd.h>

#define TARGET_WINDOWS 8

/* The memory that may be loaded or stored; without windows, all memory. */
static struct {
	struct {
		uint64_t base;
		size_t size;
		bool user;
	} windows[TARGET_WINDOWS];
	unsigned int nwindows;
} target;

/* ---- memory ---- */

void port_user_window(void *base, size_t size, bool user)
{
	if (!base) {
		target.nwindows = 0;
	} else if (target.nwindows < TARGET_WINDOWS) {
		target.windows[target.nwindows].base = (uint64_t)(uintptr_t)base;
		target.windows[target.nwindows].size = size;
		target.windows[target.nwindows++].user = user;
	}
}

static bool target_in_window(uint64_t addr, size_t n, bool user)
{
	for (unsigned int i = 0; i < target.nwindows; i++)
		if (target.windows[i].user == user && addr >= target.windows[i].base &&
		    addr - target.windows[i].base <= target.windows[i].size &&
		    n <= target.windows[i].size - (addr - target.windows[i].base))
			return true;
	return target.nwindows == 0;
}

static int target_load(void *dst, uint64_t addr, size_t n, bool user)
{
	struct iovec to = {dst, n}, from = {(void *)(uintptr_t)addr, n};

	if (!target_in_window(addr, n, user))
		return -EFAULT;
	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)n ? 0 : -EFAULT;
}

int target_load_kernel(void *dst, uint64_t addr, size_t n)
{
	return target_load(dst, addr, n, false);
}

int target_load_user(void *dst, uint64_t addr, size_t n)
{
	return target_load(dst, addr, n, true);
}

int target_store_user(uint64_t addr, const void *src, size_t n)
{
	struct iovec from = {(void *)(uintptr_t)src, n}, to = {(void *)(uintptr_t)addr, n};

	if (!target_in_window(addr, n, true))
		return -EFAULT;
	return process_vm_writev(getpid(), &from, 1, &to, 1, 0) == (ssize_t)n ? 0 : -EFAULT;
}

int target_user_word(void)
{
	return 8;
}

/* ---- the current thread ---- */

void target_thread(struct target_thread *t)
{
	const struct port_user_world *w = &port_user_world;

	t->thread = (uint64_t)(uintptr_t)w;
	t->key = w->key ? w->key : t->thread;
	t->born = w->born;
	t->pid = w->pid ? w->pid : (uint32_t)getpid();
	t->tid = w->tid ? w->tid : (uint32_t)gettid();
	t->ppid = w->ppid ? w->ppid : (uint32_t)getppid();
	t->uid = w->root ? 0 : w->uid ? w->uid : (uint32_t)getuid();
	t->gid = w->gid ? w->gid : (uint32_t)getgid();
}

bool target_owns(const struct dtrace_cred *cred)
{
	const struct port_user_world *w = &port_user_world;

	return !w->setid && cred->uid == (w->uid ? w->uid : (uint32_t)getuid());
}

void target_execname(char *buf, size_t size)
{
	snprintf(buf, size, "%s",
		 port_user_world.execname ? port_user_world.execname
					  : program_invocation_short_name);
}

size_t target_args(char *buf, size_t size)
{
	const struct port_user_world *w = &port_user_world;
	size_t n = w->argslen < size ? w->argslen : size;

	if (n)
		memcpy(buf, w->args, n);
	return n;
}

void target_zone(struct target_zone *z)
{
	z->id = port_user_world.zone;
	snprintf(z->name, sizeof(z->name), "host%u", z->id);
}

/* Descriptors 0 to 2 are open. */
uint64_t target_getf(uint32_t fd)
{
	return fd < 3 ? 0x1000 + fd : 0;
}

/* A PID namespace is a number that is taken off, as a namespace counts its processes anew. */
static uint32_t ns_number(const void *pid_ns, uint32_t number)
{
	uint32_t first = pid_ns ? *(const uint32_t *)pid_ns : 0;

	return number > first ? number - first : 0;
}

void target_thread_in_ns(const void *pid_ns, struct target_thread *t)
{
	t->pid = ns_number(pid_ns, t->pid);
	t->tid = ns_number(pid_ns, t->tid);
	t->ppid = ns_number(pid_ns, t->ppid);
}

bool target_progenyof(const void *pid_ns, uint32_t pid)
{
	return pid == ns_number(pid_ns, (uint32_t)getpid()) ||
	       pid == ns_number(pid_ns, (uint32_t)getppid());
}

unsigned int target_ipl(void)
{
	return port_user_world.ipl;
}

unsigned int target_stack(uint64_t *pcs, unsigned int n, const void *regs)
{
	unsigned int have = port_user_world.npcs < n ? port_user_world.npcs : n;

	(void)regs;
	if (have)
		memcpy(pcs, port_user_world.pcs, have * sizeof(*pcs));
	return have;
}

int target_ustack(uint64_t *pcs, uint64_t *fps, unsigned int n, const void *regs, unsigned int how)
{
	const struct port_user_world *w = &port_user_world;
	unsigned int found = w->npcs ? target_stack(pcs, n, regs) : 0;

	port_user_world.how = how;
	for (unsigned int i = 0; fps && i < found; i++)
		fps[i] = w->fps ? w->fps[i] : 0;
	return found ? (int)found : -EFAULT;
}

const struct dtrace_helpers *target_helpers(void)
{
	return port_user_world.helpers;
}

int target_reg(uint64_t *value, unsigned int reg, const void *regs)
{
	if (!regs || reg >= 27)
		return -EINVAL;
	memcpy(value, (const uint64_t *)regs + reg, sizeof(*value));
	return 0;
}

int target_kernel_reg(uint64_t *value, unsigned int reg, const void *regs)
{
	return target_reg(value, reg, regs);
}

/* ---- things of the kernel: a path is its text, a lock a word for each of its fields ---- */

int target_d_path(char *buf, size_t size, uint64_t addr)
{
	size_t n = 0;

	while (n < size && target_load_kernel(buf + n, addr + n, 1) == 0) {
		if (!buf[n])
			return (int)n;
		n++;
	}
	return -EFAULT;
}

int target_lock(struct target_lock *l, enum target_lock_kind kind, uint64_t addr)
{
	uint64_t words[4];

	if (target_load_kernel(words, addr, sizeof(words)) != 0)
		return -EFAULT;
	l->owner = kind == TARGET_LOCK_MUTEX ? words[0] : 0;
	l->read = words[1];
	l->written = words[2];
	l->writer_waits = words[3];
	return 0;
}

/* ---- actions ---- */

int target_stop(void)
{
	port_user_world.stops++;
	return 0;
}

int target_raise(unsigned int sig)
{
	port_user_world.raised = sig;
	return 0;
}

void target_breakpoint(void)
{
	port_user_world.breakpoints++;
}

void target_panic(const char *msg)
{
	(void)msg;
	port_user_world.panics++;
}
