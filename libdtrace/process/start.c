/* SPDX-License-Identifier: MIT */
/*
 * start.c - starts a program under ptrace and stops it at main, without the kernel module's help:
 * to fire its probes for a test (usdt/fire.c), and for -c of users who may not stop threads.
 *
 * After exec the program runs to its entry point: the dynamic linker and the constructors of
 * libraries are done then. The program's own constructors, among them the one that registers its
 * probes, run between there and main. So it is single-stepped through _start to the call of
 * __libc_start_main, whose first argument is main, and run to there. The search ends at the first
 * system call, or after STEPS instructions. If there was no such call, a static program is started
 * again, and stops at its entry point: it has done nothing that others see. A dynamic program may
 * have, in constructors of its libraries: it stops where the search has ended.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include "mappings.h"
#include "memory.h"
#include "procfs.h"
#include "start.h"

#define STEPS	  256 /* instructions */
#define INT3	  0xcc
#define USER32_CS 0x23

/* A program on its way to main. */
struct start {
	dtrace_hdl_t *dtp;
	const char *file;
	pid_t pid;
	uint64_t entry;	 /* of the executable, as loaded */
	uint64_t lo, hi; /* its code */
	int status;	 /* of the last wait */
	bool aimless;	 /* it is static, and no call of its start function was found */
};

/* Return whether the kernel lets root alone be a debugger. */
static bool is_yama_strict(void)
{
	int fd = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
	char scope = '0';
	bool strict = fd != -1 && read(fd, &scope, 1) == 1 && scope > '1';

	if (fd != -1)
		close(fd);
	return strict && geteuid();
}

/* Return the text of an error of exec() in the child, or, if it is negative, of ptrace(). */
static const char *exec_error(int error)
{
	if (error == -EPERM && is_yama_strict())
		return "kernel.yama.ptrace_scope lets root alone trace programs from their start: "
		       "have root set it to 0 or 1";
	if (error == -EPERM && dt_proc_is_filtered())
		return DT_FILTER_FORBIDS("ptrace()");
	if (error == -EACCES)
		return "a security module, such as SELinux, forbids dtrace to trace it";
	return strerror(abs(error));
}

int dt_start_fail(dtrace_hdl_t *dtp, const char *file, const char *what)
{
	return dt_set_error(dtp, EDT_PROC, "failed to create process: %s: %s", file, what);
}

/* Set EDT_PROC and a message. Return -1. */
static int start_fail(const struct start *st, const char *what)
{
	return dt_start_fail(st->dtp, st->file, what);
}

/* Execute file in the child, or write an error to the pipe out, as exec_error() reads it. */
static void child_exec(const char *file, char *const *argv, int out)
{
	sigset_t none;
	bool traced;
	int err;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	traced = ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0;
	if (traced)
		execvp(file, argv);
	err = traced ? errno : -errno;
	while (write(out, &err, sizeof(err)) == -1 && errno == EINTR)
		;
	_exit(127);
}

/* Wait for the child, and set its status. Return 0, or -1 with EDT_PROC. */
static int start_wait(struct start *st)
{
	while (waitpid(st->pid, &st->status, __WALL) == -1)
		if (errno != EINTR)
			return start_fail(st, strerror(errno));
	return 0;
}

/* Fork and execute; the child is stopped after exec. Return 0, or -1 with EDT_PROC. */
static int start_exec(struct start *st, char *const *argv)
{
	int fds[2], err = 0;
	ssize_t got;

	if (pipe2(fds, O_CLOEXEC) == -1)
		return start_fail(st, strerror(errno));
	st->pid = fork();
	if (st->pid == 0)
		child_exec(st->file, argv, fds[1]);
	close(fds[1]);
	if (st->pid == -1) {
		close(fds[0]);
		return start_fail(st, strerror(errno));
	}
	do
		got = read(fds[0], &err, sizeof(err));
	while (got == -1 && errno == EINTR);
	close(fds[0]);
	if (start_wait(st) != 0)
		return -1;
	if (got == sizeof(err))
		return start_fail(st, exec_error(err));
	if (!WIFSTOPPED(st->status))
		return start_fail(st, "the program ended while it was executed");
	if (ptrace(PTRACE_SETOPTIONS, st->pid, NULL, (void *)DT_START_OPTIONS) == -1)
		return start_fail(st, strerror(errno));
	return 0;
}

/* Why a running child has stopped. */
enum stop { STOP_TRAP, STOP_EXEC, STOP_FAILED };

/* Let the child run by a ptrace request to its next trap. Other signals are delivered. */
static enum stop start_run(struct start *st, int request)
{
	long sig = 0;

	for (;;) {
		if (ptrace(request, st->pid, NULL, (void *)sig) == -1 || start_wait(st) != 0)
			return STOP_FAILED;
		if (!WIFSTOPPED(st->status))
			return STOP_FAILED;
		if (st->status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8))
			return STOP_EXEC;
		sig = WSTOPSIG(st->status);
		if (sig == SIGTRAP)
			return STOP_TRAP;
	}
}

/* Run to an address by a breakpoint, and remove the breakpoint. */
static enum stop start_runto(struct start *st, uint64_t addr)
{
	const unsigned char trap = INT3;
	struct user_regs_struct regs;
	unsigned char was;
	enum stop rv;

	if (!dt_memory_read(st->pid, addr, &was, 1) || !dt_memory_write(st->pid, addr, &trap, 1))
		return STOP_FAILED;
	do {
		rv = start_run(st, PTRACE_CONT);
		if (rv != STOP_TRAP)
			return rv;
		if (ptrace(PTRACE_GETREGS, st->pid, NULL, &regs) == -1)
			return STOP_FAILED;
	} while (regs.rip != addr + 1);
	regs.rip = addr;
	if (!dt_memory_write(st->pid, addr, &was, 1) ||
	    ptrace(PTRACE_SETREGS, st->pid, NULL, &regs) == -1)
		return STOP_FAILED;
	return STOP_TRAP;
}

/*
 * Return whether an instruction is a call, or a jump: some libraries call their start function
 * last.
 */
static bool is_transfer(const unsigned char *insn)
{
	while (*insn == 0xf2 || *insn == 0x3e || (*insn >= 0x40 && *insn <= 0x4f) || *insn == 0x67)
		insn++;
	return insn[0] == 0xe8 || insn[0] == 0xe9 ||
	       (insn[0] == 0xff && ((insn[1] >> 3 & 7) == 2 || (insn[1] >> 3 & 7) == 4));
}

/* Return the first argument of the function about to be called. */
static uint64_t first_arg(const struct start *st, const struct user_regs_struct *regs)
{
	uint32_t word = 0;

	if (regs->cs != USER32_CS)
		return regs->rdi;
	dt_memory_read(st->pid, regs->rsp, &word, sizeof(word));
	return word;
}

/* Return whether an instruction is a system call. */
static bool is_system_call(const unsigned char *insn)
{
	return (insn[0] == 0x0f && (insn[1] == 0x05 || insn[1] == 0x34)) ||
	       (insn[0] == 0xcd && insn[1] == 0x80);
}

/* Step through _start to the call that is given main. Return main, 0 if there is no such call. */
static uint64_t start_find_main(struct start *st)
{
	struct user_regs_struct regs;

	for (int i = 0; i < STEPS; i++) {
		unsigned char insn[16] = {0};
		uint64_t arg;

		if (ptrace(PTRACE_GETREGS, st->pid, NULL, &regs) == -1)
			return 0;
		for (size_t n = sizeof(insn); n > 0 && !dt_memory_read(st->pid, regs.rip, insn, n);
		     n--)
			;
		arg = first_arg(st, &regs);
		if (is_transfer(insn) && arg >= st->lo && arg < st->hi && arg != st->entry)
			return arg;
		if (is_system_call(insn))
			return 0;
		if (start_run(st, PTRACE_SINGLESTEP) != STOP_TRAP)
			return 0;
	}
	return 0;
}

/* Run from an exec to the point that evaltime names. */
static enum stop start_image(struct start *st, enum dt_evaltime where)
{
	uint64_t main, base;
	enum stop rv;

	if (where == DT_EVAL_EXEC)
		return STOP_TRAP;
	if (!dt_auxv(st->pid, AT_ENTRY, &st->entry))
		return STOP_FAILED;
	st->lo = st->hi = 0;
	dt_mapping_find(st->pid, st->entry, &st->lo, &st->hi);
	rv = start_runto(st, st->entry);
	if (rv != STOP_TRAP || where == DT_EVAL_PREINIT)
		return rv;
	main = start_find_main(st);
	if (WIFSTOPPED(st->status) && main == 0) {
		dt_debug(st->dtp, "%s: main was not found, stopped near its entry point", st->file);
		st->aimless = dt_auxv(st->pid, AT_BASE, &base) && !base;
		return STOP_TRAP;
	}
	return main != 0 ? start_runto(st, main) : STOP_FAILED;
}

int dt_start_died(dtrace_hdl_t *dtp, const char *file, int status)
{
	char text[64];

	if (WIFEXITED(status))
		snprintf(text, sizeof(text), "it exited with status %d before its main",
			 WEXITSTATUS(status));
	else
		snprintf(text, sizeof(text), "it was killed by signal %d before its main",
			 WTERMSIG(status));
	return dt_start_fail(dtp, file, text);
}

pid_t dt_start(dtrace_hdl_t *dtp, const char *file, char *const *argv, enum dt_evaltime where)
{
	struct start st = {.dtp = dtp, .file = file, .pid = -1};
	enum stop rv;

	if (start_exec(&st, argv) != 0)
		return -1;
	do
		rv = start_image(&st, where);
	while (rv == STOP_EXEC);
	if (rv == STOP_TRAP && st.aimless) {
		dt_proc_kill(st.pid);
		return dt_start(dtp, file, argv, DT_EVAL_PREINIT);
	}
	if (rv == STOP_TRAP)
		return st.pid;
	if (!WIFSTOPPED(st.status))
		return dt_start_died(dtp, file, st.status);
	start_fail(&st, errno == EACCES ? "permission denied: the program may be executed, but not "
					  "read: make it readable (chmod +r)"
					: strerror(errno));
	dt_proc_kill(st.pid);
	return -1;
}

void dt_start_release(pid_t pid)
{
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
}

void dt_proc_kill(pid_t pid)
{
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, __WALL) == -1 && errno == EINTR)
		;
}
