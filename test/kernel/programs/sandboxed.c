/* SPDX-License-Identifier: MIT */
/*
 * sandboxed.c - a traced process that filters its system calls.
 *
 *	sandboxed filter|child|early|counted
 *
 * It fires until it is traced. Then it makes a filter that kills it for all but a few system calls,
 * waits until the agent knows of the filter, writes "ready", reads a line, and fires again.
 *
 *	child	the filter is that of a forked child, which has fired before
 *	early	the same, but the child has not fired
 *	counted	instead of a filter, count the system calls that are not those of the C library
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/sdt.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include "agent.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH /* Linux 5.11 */
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_ON	     1
#endif

static volatile unsigned char counting; /* not 0: count */
static volatile int ncalls;

/* One site: a child has it if its parent has fired there. */
static void __attribute__((noinline)) fire(int n)
{
	while (n--)
		DTRACE_PROBE(sandboxed, hit);
}

static void say(const char *text)
{
	if (write(1, text, strlen(text)) == -1)
		_exit(1);
}

static void line_read(void)
{
	char c = 0;

	while (c != '\n')
		if (read(0, &c, 1) != 1)
			_exit(1);
}

/* Return the head of the agent's region, or NULL. */
static const struct agent_head *region_find(void)
{
	FILE *fp = fopen("/proc/self/maps", "r");
	const struct agent_head *head = NULL;
	char line[512];
	unsigned long start;

	while (fp && !head && fgets(line, sizeof(line), fp))
		if (strstr(line, "memfd:dtrace-") && strstr(line, " rw-s ") &&
		    sscanf(line, "%lx-", &start) == 1 && *(uint64_t *)start == AGENT_MAGIC)
			head = (const void *)start;
	if (fp)
		fclose(fp);
	return head;
}

/* Return whether a hit has taken a slot. */
static bool has_fired(const volatile struct agent_head *head)
{
	for (uint32_t i = 0; i < head->nslots; i++)
		if (head->slots[i].turn.place >= AGENT_PLACE_COUNT)
			return true;
	return false;
}

/* Fire until the process is traced. */
static const struct agent_head *traced_await(void)
{
	const struct agent_head *head;

	do {
		usleep(1000);
		fire(1);
		head = region_find();
	} while (!head || !has_fired(head));
	return head;
}

static void filter_make(void)
{
	static const unsigned int calls[] = {SYS_read, SYS_write, SYS_exit_group};
	enum { N = sizeof(calls) / sizeof(calls[0]) };
	struct sock_filter code[N + 3], *at = code;
	struct sock_fprog filter = {N + 3, code};

	*at++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					     offsetof(struct seccomp_data, nr));
	for (int i = 0; i < N; i++)
		*at++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i],
						     (unsigned char)(N - i), 0);
	*at++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	*at++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
		_exit(1);
}

static void filter(void)
{
	const volatile struct agent_head *head = traced_await();

	filter_make();
	while (!head->filtered)
		;
	say("ready\n");
	line_read();
	fire(3);
	say("it lives\n");
	exit(0);
}

static void child(bool early)
{
	int status;
	pid_t pid;

	traced_await();
	pid = fork();
	if (!pid) {
		if (!early)
			fire(1);
		filter_make();
		if (early)
			fire(3);
		say("ready\n");
		line_read();
		fire(3);
		say("the child lives\n");
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		say("the child was killed\n");
	fire(3);
}

/* Refuse a system call. */
static void on_call(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	ncalls++;
	uc->uc_mcontext.gregs[REG_RAX] = -EPERM;
}

/* Let the C library make system calls. */
static int library_allow(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	if (!strstr(info->dlpi_name, "libc.so"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		if (ph->p_type == PT_LOAD && ph->p_flags & PF_X)
			return prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON,
				     info->dlpi_addr + ph->p_vaddr, ph->p_memsz, &counting) == 0;
	}
	return 0;
}

static void counted(void)
{
	const struct sigaction action = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO};

	traced_await();
	sigaction(SIGSYS, &action, NULL);
	if (!dl_iterate_phdr(library_allow, NULL))
		_exit(1);
	say("ready\n");
	line_read();
	counting = 1;
	fire(1000);
	counting = 0;
	printf("%d system calls\n", ncalls);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	if (!strcmp(how, "filter"))
		filter();
	else if (!strcmp(how, "counted"))
		counted();
	else
		child(!strcmp(how, "early"));
	return 0;
}
