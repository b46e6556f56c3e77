// SPDX-License-Identifier: MIT
/*
 * lives.c - make known numbers of processes, threads, signals and faults.
 *
 *	lives tree N	N children, the i-th with a child of its own, which ends with status i; each
 *			waits for its child
 *	lives threads N	N threads, one after the other
 *	lives failures	execve of a file that does not exist, of one that must not be executed, and
 *			of itself as lives tree 0
 *	lives signals	to itself: 3 SIGUSR1 handled, 4 SIGUSR2 ignored, 2 SIGRTMIN fetched by
 *			sigtimedwait; a child by SIGTERM
 *	lives queued N	to itself by sigqueue: SIGUSR1 with the values 1 to N; then a child ends
 *			with status 3, and SIGCHLD has a handler
 *	lives faults	children that end by a fault each
 *	lives traps	children that end by a single step, a division of floating point, a page
 *			that its file lacks, and a breakpoint of the processor's
 *	lives switches N
 *			N sleeps of 1 ms between two getppid, then the voluntary context switches
 *			between these
 *	lives yields N	N sched_yield
 *	lives urgent N	N sched_yield of SCHED_FIFO 7
 *	lives priorities  nice 5, then SCHED_FIFO 7, then SCHED_OTHER
 *	lives lends       a thread of SCHED_FIFO 7 waits for a lock of the first thread
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

/* Fork, and wait for the child. Return true in the child. */
static int is_child(void)
{
	pid_t child = fork();

	if (child)
		waitpid(child, NULL, 0);
	return !child;
}

static void tree(int n)
{
	for (int i = 1; i <= n; i++) {
		if (!is_child())
			continue;
		if (is_child())
			_exit(i);
		_exit(0);
	}
}

static void *thread(void *unused)
{
	return unused;
}

static void threads(int n)
{
	pthread_t t;

	for (int i = 0; i < n; i++) {
		pthread_create(&t, NULL, thread, NULL);
		pthread_join(t, NULL);
	}
}

static void failures(void)
{
	char *const argv[] = {"lives", "tree", "0", NULL};

	execv("/nonexistent/program", argv);
	execv("/etc/passwd", argv);
	execv("/proc/self/exe", argv);
}

static void handle(int number)
{
	(void)number;
}

/*
 * Fetch a signal. A program of 32 bits does so by both system calls: by one with times of 64 bits
 * in the first round, and where the kernel has no others.
 */
static void fetch(const sigset_t *set, int round)
{
#ifdef SYS_rt_sigtimedwait_time64
	if (round == 0 || (sigtimedwait(set, NULL, NULL) < 0 && errno == ENOSYS))
		syscall(SYS_rt_sigtimedwait_time64, set, NULL, NULL, _NSIG / 8);
#else
	(void)round;
	sigtimedwait(set, NULL, NULL);
#endif
}

static void signals(void)
{
	sigset_t set;
	pid_t child;

	signal(SIGUSR1, handle);
	signal(SIGUSR2, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < 3; i++)
		kill(getpid(), SIGUSR1);
	for (int i = 0; i < 4; i++)
		kill(getpid(), SIGUSR2);
	for (int i = 0; i < 2; i++) {
		kill(getpid(), SIGRTMIN);
		fetch(&set, i);
	}
	child = fork();
	if (!child)
		for (;;)
			pause();
	kill(child, SIGTERM);
	waitpid(child, NULL, 0);
}

static void faults(void)
{
	volatile int zero = 0, one = 1;
	volatile int *volatile bad = (int *)16;
	char *fixed;

	if (is_child())
		*bad = 1;
	if (is_child()) {
		fixed = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		*(volatile char *)fixed = 1;
	}
	if (is_child())
		one = one / zero;
	if (is_child())
		__asm__ volatile("ud2");
	if (is_child())
		__asm__ volatile("int3");
}

#define DEBUG_WRITES 0xd0001UL /* DR7: stop at writes to the four bytes at DR0 */

static volatile int watched;

/* Let a child write to memory that is watched, and end by the signal that it gets for that. */
static void watch(void)
{
	pid_t child = fork();

	if (!child) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
			_exit(1);
		raise(SIGSTOP);
		watched = 1;
		_exit(0);
	}
	waitpid(child, NULL, 0);
	ptrace(PTRACE_POKEUSER, child, offsetof(struct user, u_debugreg[0]), &watched);
	ptrace(PTRACE_POKEUSER, child, offsetof(struct user, u_debugreg[7]), DEBUG_WRITES);
	ptrace(PTRACE_CONT, child, NULL, NULL);
	waitpid(child, NULL, 0);
	ptrace(PTRACE_CONT, child, NULL, SIGTRAP);
	waitpid(child, NULL, 0);
}

static void traps(void)
{
	const unsigned short divisions = 0x37b; /* of the x87: all errors masked but this one */

	if (is_child())
		__writeeflags(__readeflags() | 0x100);
	if (is_child())
		__asm__ volatile("fldcw %0\n\tfld1\n\tfldz\n\tfdivrp\n\tfwait" ::"m"(divisions));
	if (is_child())
		*(volatile char *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
				       memfd_create("empty", 0), 0) = 1;
	watch();
}

static void queued(int n)
{
	signal(SIGUSR1, handle);
	signal(SIGCHLD, handle);
	for (int i = 1; i <= n; i++)
		sigqueue(getpid(), SIGUSR1, (union sigval){.sival_ptr = (void *)(long)i});
	if (is_child())
		_exit(3);
}

static long voluntary(void)
{
	const char *found;
	char text[4096];
	int fd = open("/proc/self/status", O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	close(fd);
	text[n > 0 ? n : 0] = '\0';
	found = strstr(text, "\nvoluntary_ctxt_switches:");
	return found ? strtol(strchr(found, ':') + 1, NULL, 10) : -1;
}

static void switches(int n)
{
	const struct timespec ms = {.tv_nsec = 1000000};
	long before = voluntary();

	syscall(SYS_getppid);
	for (int i = 0; i < n; i++)
		nanosleep(&ms, NULL);
	syscall(SYS_getppid);
	printf("%ld\n", voluntary() - before);
}

static void priorities(void)
{
	struct sched_param seven = {.sched_priority = 7}, none = {.sched_priority = 0};

	setpriority(PRIO_PROCESS, 0, 5);
	sched_setscheduler(0, SCHED_FIFO, &seven);
	sched_setscheduler(0, SCHED_OTHER, &none);
}

static unsigned int lock;

static void *lend(void *unused)
{
	struct sched_param seven = {.sched_priority = 7};

	sched_setscheduler(0, SCHED_FIFO, &seven);
	syscall(SYS_futex, &lock, FUTEX_LOCK_PI, 0, NULL);
	syscall(SYS_futex, &lock, FUTEX_UNLOCK_PI);
	return unused;
}

static void lends(void)
{
	pthread_t lender;

	syscall(SYS_futex, &lock, FUTEX_LOCK_PI, 0, NULL);
	pthread_create(&lender, NULL, lend, NULL);
	while (!(__atomic_load_n(&lock, __ATOMIC_SEQ_CST) & FUTEX_WAITERS))
		sched_yield();
	syscall(SYS_futex, &lock, FUTEX_UNLOCK_PI);
	pthread_join(lender, NULL);
}

static void yields(int n)
{
	while (n-- > 0)
		sched_yield();
}

static void urgent(int n)
{
	const struct sched_param param = {.sched_priority = 7};

	if (sched_setscheduler(0, SCHED_FIFO, &param) != 0)
		exit(1);
	yields(n);
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 0;

	if (!strcmp(verb, "tree"))
		tree(n);
	else if (!strcmp(verb, "threads"))
		threads(n);
	else if (!strcmp(verb, "failures"))
		failures();
	else if (!strcmp(verb, "signals"))
		signals();
	else if (!strcmp(verb, "faults"))
		faults();
	else if (!strcmp(verb, "traps"))
		traps();
	else if (!strcmp(verb, "queued"))
		queued(n);
	else if (!strcmp(verb, "switches"))
		switches(n);
	else if (!strcmp(verb, "priorities"))
		priorities();
	else if (!strcmp(verb, "lends"))
		lends();
	else if (!strcmp(verb, "yields"))
		yields(n);
	else if (!strcmp(verb, "urgent"))
		urgent(n);
	else
		return 2;
	return 0;
}
