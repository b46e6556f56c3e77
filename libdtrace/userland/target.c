/* SPDX-License-Identifier: MIT */
/*
 * target.c - what the engine asks about the traced system when it runs in the consumer: BEGIN, END,
 * ERROR and tick-N fire in the consumer's own process. What the agent answers too is in the engine's
 * target_process.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/uio.h>
#include <unistd.h>
#include "engine.h"
#include "procfs.h"
#include "target.h"

/* ---- memory ---- */

int target_load_user(void *dst, uint64_t addr, size_t n)
{
	struct iovec to = {dst, n}, from = {(void *)(uintptr_t)addr, n};

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)n ? 0 : -EFAULT;
}

int target_store_user(uint64_t addr, const void *src, size_t n)
{
	struct iovec from = {(void *)(uintptr_t)src, n}, to = {(void *)(uintptr_t)addr, n};

	return process_vm_writev(getpid(), &from, 1, &to, 1, 0) == (ssize_t)n ? 0 : -EFAULT;
}

const struct dtrace_helpers *target_helpers(void)
{
	return NULL;
}

int target_user_word(void)
{
	return sizeof(void *);
}

/* ---- the current thread ---- */

/* No two threads that live at once have the same number, and none of them has ended before. */
void target_thread(struct target_thread *t)
{
	*t = (struct target_thread){
		.key = (uint64_t)gettid(),
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)gettid(),
		.ppid = (uint32_t)getppid(),
		.uid = (uint32_t)getuid(),
		.gid = (uint32_t)getgid(),
	};
}

bool target_progenyof(const void *pid_ns, uint32_t pid)
{
	(void)pid_ns;
	return pid == (uint32_t)getpid() || pid == (uint32_t)getppid();
}

/* Read at most size bytes of a file of the process. Return their number, 0 if it cannot be read. */
static size_t target_read(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd == -1 ? 0 : read(fd, buf, size);

	if (fd != -1)
		close(fd);
	return n > 0 ? (size_t)n : 0;
}

void target_execname(char *buf, size_t size)
{
	size_t n = target_read("/proc/self/comm", buf, size - 1);

	buf[n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
}

size_t target_args(char *buf, size_t size)
{
	return target_read("/proc/self/cmdline", buf, size);
}

void target_zone(struct target_zone *z)
{
	*z = (struct target_zone){.id = dt_proc_namespace(0)};
	gethostname(z->name, sizeof(z->name) - 1);
}

/* ---- stacks and registers: no code is interrupted ---- */

int target_ustack(uint64_t *pcs, uint64_t *fps, unsigned int n, const void *regs, unsigned int how)
{
	(void)pcs, (void)fps, (void)n, (void)regs, (void)how;
	return 0;
}

int target_reg(uint64_t *value, unsigned int reg, const void *regs)
{
	(void)value, (void)reg, (void)regs;
	return -EINVAL;
}

/* ---- actions ---- */

int target_stop(void)
{
	return target_raise(SIGSTOP);
}

int target_raise(unsigned int sig)
{
	return kill(getpid(), (int)sig) == 0 ? 0 : -errno;
}
