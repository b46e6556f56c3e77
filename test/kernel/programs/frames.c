/* SPDX-License-Identifier: MIT */
/*
 * frames.c - build stacks of all shapes and fire frames:::at on top of them, by the verbs of the
 * command line:
 *
 *	plain, deep N		functions that call each other, one that calls itself
 *	alloca, aligned		frames whose size is not constant, or that are realigned
 *	sort			called back by libc
 *	signal, altstack	in a handler, on a stack of its own
 *	informed		in a SA_SIGINFO handler, which returns in another way on i386
 *	untabled		in both, which return through code without an unwind table
 *	fork			plain in a child
 *	calls N			system calls
 *	inlined			functions that are inlined
 *	addresses		frames:::address, of a function of libc and of one of the vdso
 *	load LIB		through a library that is loaded now
 *	until FILE VERB		the verb again and again, until there is that file
 */
#include <alloca.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "frames_probes.h"

#define FRAME __attribute__((noinline))

static volatile int sink;

FRAME int frames_leaf(int x)
{
	FRAMES_AT(x);
	return x + sink;
}

FRAME int frames_middle(int x)
{
	return frames_leaf(x + 1) + sink;
}

FRAME int frames_plain(int x)
{
	return frames_middle(x * 2) + sink;
}

FRAME int frames_deep(int n)
{
	return (n > 0 ? frames_deep(n - 1) : frames_leaf(n)) + sink;
}

FRAME int frames_alloca(int n)
{
	volatile char *p = alloca(n);

	p[n - 1] = (char)frames_middle(n);
	return p[n - 1] + sink;
}

FRAME int frames_aligned(int n)
{
	volatile _Alignas(256) char box[512];
	volatile char *p = alloca(n);

	p[n - 1] = box[n] = (char)frames_middle(n);
	return p[n - 1] + box[n] + sink;
}

static int frames_by_value(const void *left, const void *right)
{
	const int *l = left, *r = right;

	if (*l == 2 && *r == 1)
		frames_leaf(1);
	return *l - *r;
}

FRAME int frames_sort(void)
{
	int values[] = {2, 1};

	qsort(values, 2, sizeof(values[0]), frames_by_value);
	return values[0] + sink;
}

static void frames_handler(int sig)
{
	frames_middle(sig);
}

FRAME int frames_signal(int flags)
{
	static char other[65536];
	stack_t stack = {.ss_sp = other, .ss_size = sizeof(other)};
	struct sigaction act = {.sa_handler = frames_handler, .sa_flags = flags};

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &act, NULL);
	return raise(SIGUSR1) + sink;
}

/* Returns from a handler as in C libraries without unwind tables, far from code with tables. */
#ifdef __x86_64__
#define RESTORE(number) "mov $15, %rax\n\tsyscall\n"
#elif defined(__i386__)
#define RESTORE(number) number "\n\tint $0x80\n"
#endif
/* clang-format off */
__asm__(".text\n"
	"	.skip 64, 0x90\n"
	".type frames_restore, @function\n"
	"frames_restore:\n"
	"	" RESTORE("pop %eax\n\tmov $119, %eax")
	".type frames_restore_informed, @function\n"
	"frames_restore_informed:\n"
	"	" RESTORE("mov $173, %eax")
	"	.skip 64, 0x90\n");
/* clang-format on */
void frames_restore(void);
void frames_restore_informed(void);

FRAME int frames_untabled(int flags)
{
	const struct {
		void (*handler)(int);
		unsigned long flags;
		void (*restorer)(void);
		uint64_t mask;
	} act = {frames_handler, flags | 0x04000000, /* SA_RESTORER */
		 flags & SA_SIGINFO ? frames_restore_informed : frames_restore, 0};

	syscall(SYS_rt_sigaction, SIGUSR1, &act, NULL, sizeof(act.mask));
	return raise(SIGUSR1) + sink;
}

FRAME int frames_calls(int n)
{
	int seen = 0;

	while (n-- > 0)
		seen |= getppid();
	return seen + sink;
}

FRAME int frames_fork(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		frames_plain(1);
		_exit(0);
	}
	return waitpid(pid, NULL, 0) + sink;
}

static inline __attribute__((always_inline)) int inner(int x)
{
	return frames_leaf(x + 1) + sink;
}

static inline __attribute__((always_inline)) int outer(int x)
{
	int y = x * 2;

	return inner(y) + sink;
}

FRAME int frames_inlined(int x)
{
	sink = 0;
	return outer(x) + sink;
}

#ifndef FRAMES_STATIC
static void frames_addresses(void)
{
	void *vdso = dlopen("linux-vdso.so.1", RTLD_NOW | RTLD_NOLOAD);

	FRAMES_ADDRESS((uintptr_t)qsort);
	FRAMES_ADDRESS((uintptr_t)(vdso ? dlsym(vdso, "__vdso_time") : NULL));
}

static void frames_back(void)
{
	frames_leaf(3);
}

FRAME int frames_load(const char *lib)
{
	void *handle = dlopen(lib, RTLD_NOW);
	void (*through)(void (*)(void)) = handle ? dlsym(handle, "frames_through") : NULL;

	if (!through)
		return 1;
	through(frames_back);
	return sink;
}
#else
static void frames_addresses(void)
{
}

static int frames_load(const char *lib)
{
	(void)lib;
	return 1;
}
#endif

/* Carry out a verb with its argument, if it has one. Return the number of words. */
FRAME static int verb(char **word)
{
	const char *what = word[0], *arg = word[1];

	if (strcmp(what, "plain") == 0)
		frames_plain(1);
	else if (strcmp(what, "alloca") == 0)
		frames_alloca(100);
	else if (strcmp(what, "aligned") == 0)
		frames_aligned(100);
	else if (strcmp(what, "sort") == 0)
		frames_sort();
	else if (strcmp(what, "signal") == 0)
		frames_signal(0);
	else if (strcmp(what, "altstack") == 0)
		frames_signal(SA_ONSTACK);
	else if (strcmp(what, "informed") == 0)
		frames_signal(SA_SIGINFO);
	else if (strcmp(what, "untabled") == 0)
		frames_untabled(0), frames_untabled(SA_SIGINFO);
	else if (strcmp(what, "inlined") == 0)
		frames_inlined(1);
	else if (strcmp(what, "addresses") == 0)
		frames_addresses();
	else if (strcmp(what, "fork") == 0)
		frames_fork();
	if (!arg)
		return 1;
	if (strcmp(what, "deep") == 0)
		frames_deep(atoi(arg));
	else if (strcmp(what, "calls") == 0)
		frames_calls(atoi(arg));
	else if (strcmp(what, "load") == 0)
		frames_load(arg);
	else
		return 1;
	return 2;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc;) {
		if (strcmp(argv[i], "until") == 0 && i + 2 < argc) {
			for (i += 2; access(argv[i - 1], F_OK) != 0; usleep(10000))
				verb(argv + i);
		}
		i += verb(argv + i);
	}
	return 0;
}
