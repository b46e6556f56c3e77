/* SPDX-License-Identifier: MIT */
/*
 * target.c - the traced system, as the engine in the consumer sees it. BEGIN, END, ERROR and tick-N
 * fire in the consumer's own process, profile-N for a sampled thread. The functions that the agent
 * has in common are in the engine's target_process.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include "../process/memory.h"
#include "../process/procfs.h"
#include "engine.h"
#include "sample.h"
#include "target.h"

/* Return the process that the probe concerns. */
static pid_t target_pid(void)
{
	const struct sample *sample = dt_sample_current();

	return sample ? (pid_t)sample->pid : getpid();
}

/* ---- memory ---- */

/* Read from the sample's copy of the stack. Return false if the sample does not have the bytes. */
static bool load_sampled(void *dst, uint64_t addr, size_t n)
{
	const struct sample *sample = dt_sample_current();
	uint64_t at;

	if (!sample || !sample->word)
		return false;
	at = addr - sample->regs[SAMPLE_SP];
	if (at > sample->stack_size || n > sample->stack_size - at)
		return false;
	memcpy(dst, sample->stack + at, n);
	return true;
}

int target_load_user(void *dst, uint64_t addr, size_t n)
{
	struct iovec to = {dst, n}, from = {(void *)(uintptr_t)addr, n};

	if (load_sampled(dst, addr, n))
		return 0;
	return process_vm_readv(target_pid(), &to, 1, &from, 1, 0) == (ssize_t)n ? 0 : -EFAULT;
}

int target_store_user(uint64_t addr, const void *src, size_t n)
{
	struct iovec from = {(void *)(uintptr_t)src, n}, to = {(void *)(uintptr_t)addr, n};

	return process_vm_writev(target_pid(), &from, 1, &to, 1, 0) == (ssize_t)n ? 0 : -EFAULT;
}

const struct dtrace_helpers *target_helpers(void)
{
	return NULL;
}

int target_user_word(void)
{
	const struct sample *sample = dt_sample_current();

	return sample && sample->word ? (int)sample->word : (int)sizeof(void *);
}

/* ---- the current thread ---- */

/* Fill in t for a sampled thread. Its user is dtrace's, except when root samples. */
static void sampled_thread(struct target_thread *t, const struct sample *sample)
{
	char status[4096];
	const char *uid, *gid;

	dt_proc_read(status, sizeof(status), "/proc/%d/status", (int)sample->pid);
	uid = strstr(status, "\nUid:\t");
	gid = strstr(status, "\nGid:\t");
	*t = (struct target_thread){
		.key = sample->tid,
		.pid = sample->pid,
		.tid = sample->tid,
		.ppid = (uint32_t)dt_proc_stat((pid_t)sample->pid, DT_PROC_PARENT),
		.uid = uid ? (uint32_t)strtoul(uid + 6, NULL, 10) : (uint32_t)getuid(),
		.gid = gid ? (uint32_t)strtoul(gid + 6, NULL, 10) : (uint32_t)getgid(),
	};
}

/* Thread numbers are unique among living threads, and dtrace's own threads do not end. */
void target_thread(struct target_thread *t)
{
	const struct sample *sample = dt_sample_current();

	if (sample) {
		sampled_thread(t, sample);
		return;
	}
	*t = (struct target_thread){
		.key = (uint64_t)gettid(),
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)gettid(),
		.ppid = (uint32_t)getppid(),
		.uid = (uint32_t)getuid(),
		.gid = (uint32_t)getgid(),
	};
}

#define ANCESTORS_MAX 1024 /* bound, because /proc may change meanwhile */

bool target_progenyof(const void *pid_ns, uint32_t pid)
{
	pid_t at = target_pid();

	(void)pid_ns;
	for (int i = 0; at > 0 && i < ANCESTORS_MAX; i++) {
		if ((uint32_t)at == pid)
			return true;
		at = (pid_t)dt_proc_stat(at, DT_PROC_PARENT);
	}
	return false;
}

void target_execname(char *buf, size_t size)
{
	const struct sample *sample = dt_sample_current();

	/* The thread may have ended before its process. */
	if (!sample || !dt_proc_read(buf, size, "/proc/%d/comm", (int)sample->tid))
		dt_proc_read(buf, size, "/proc/%d/comm", (int)target_pid());
	buf[strcspn(buf, "\n")] = '\0';
}

size_t target_args(char *buf, size_t size)
{
	const int fd = dt_proc_open(target_pid(), O_RDONLY, "cmdline");
	const ssize_t n = fd == -1 ? 0 : read(fd, buf, size);

	if (fd != -1)
		close(fd);
	return n > 0 ? (size_t)n : 0;
}

void target_zone(struct target_zone *z)
{
	*z = (struct target_zone){.id = dt_proc_namespace(target_pid())};
	gethostname(z->name, sizeof(z->name) - 1);
}

/* ---- stacks and registers: of a sample; code of dtrace itself is not interrupted ---- */

int target_ustack(uint64_t *pcs, uint64_t *fps, unsigned int n, const void *regs, unsigned int how)
{
	const struct sample *sample = dt_sample_current();

	(void)regs;
	return sample ? dt_sample_ustack(sample, pcs, fps, n, how & TARGET_USTACK_TABLES) : 0;
}

int target_reg(uint64_t *value, unsigned int reg, const void *regs)
{
	/*
	 * In the order of ptrace's struct user_regs_struct, without segment registers and orig_rax.
	 */
	static const int8_t order[] = {
		SAMPLE_R8 + 7, SAMPLE_R8 + 6, SAMPLE_R8 + 5, SAMPLE_R8 + 4,
		SAMPLE_BP,     SAMPLE_BX,     SAMPLE_R8 + 3, SAMPLE_R8 + 2,
		SAMPLE_R8 + 1, SAMPLE_R8,     SAMPLE_AX,     SAMPLE_CX,
		SAMPLE_DX,     SAMPLE_SI,     SAMPLE_DI,     -1,
		SAMPLE_IP,     SAMPLE_CS,     SAMPLE_FLAGS,  SAMPLE_SP,
		SAMPLE_SS,
	};
	const struct sample *sample = dt_sample_current();

	(void)regs;
	if (!sample || !sample->word || reg >= sizeof(order) || order[reg] < 0)
		return -EINVAL;
	*value = sample->regs[order[reg]];
	return 0;
}

/* ---- actions ---- */

int target_stop(void)
{
	return target_raise(SIGSTOP);
}

int target_raise(unsigned int sig)
{
	return kill(target_pid(), (int)sig) == 0 ? 0 : -errno;
}
