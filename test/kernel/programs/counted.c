// SPDX-License-Identifier: MIT
/*
 * counted.c - cause events that the kernel counts, between two calls of getppid; print the kernel's
 * count, or its own.
 *
 *	counted io FILE	read and write in all ways: calls and bytes as in /proc/self/io, or its own
 *	counted faults N	touch N pages for the first time: page faults as of getrusage()
 *	counted zeroed N	write to N new pages, to N pages read before, and to a huge one: new
 *				pages as in /proc/self/smaps_rollup
 *	counted copied FILE N	write to N pages shared with the parent, let the kernel write to N
 *				others, and write to N of a private mapping of a file: page faults
 *				as of getrusage(). Then write to N read-only pages, and to N pages
 *				of a shared mapping
 *	counted swapped N	write to N new pages, have the kernel put them into swap space, and
 *				read them
 *	counted switches N	sleep and yield: switches as of getrusage(), all and the involuntary
 *				ones
 *	counted wakeups N	sleep N times, and use the processor for 0.2 s: wakeups as in
 *				/proc/self/sched
 *	counted migrations N	move from processor 0 to 1 and back, N times: migrations as in
 *				/proc/self/sched
 *	counted forks N	N forks, N + 1 vforks, N + 2 threads, N forks that are refused
 *	counted execs	3 execve that fail, and one of itself
 *	counted names N	N each of stat, open, mkdir and rmdir; rename has two names
 *	counted messages N	N messages sent and received, N operations on a semaphore
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Mark the begin or the end of the counted events. */
static void mark(void)
{
	syscall(SYS_getppid);
}

/* Read a file of /proc as text. Return the number of bytes. */
static size_t text_of(const char *path, char text[4096])
{
	int fd = open(path, O_RDONLY);
	ssize_t n = read(fd, text, 4095);

	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

/* Return the number after a name and a colon. */
static long number(const char *text, const char *name)
{
	const char *found = strstr(text, name);

	return found ? strtol(strchr(found, ':') + 1, NULL, 10) : -1;
}

/* Read and write, and fail to, in all ways that the kernel counts. */
static void transfer(int fd, int write_only, int to)
{
	char bytes[300] = "", *volatile nowhere = NULL;
	struct iovec parts[] = {{bytes, 100}, {bytes + 100, 50}};
	off_t at = 0;

	/* the kernel counts the result of each call */
	write(fd, bytes, 300);
	pwrite(fd, bytes, 7, 300);
	writev(fd, parts, 2);
	pwritev(fd, parts, 2, 1000);
	lseek(fd, 0, SEEK_SET);
	read(fd, bytes, 11);
	pread(fd, bytes, 13, 4);
	readv(fd, parts, 2);
	preadv(fd, parts, 1, 8);
	pread(fd, bytes, 100, 1 << 20);
	sendfile(to, fd, &at, 123);
	copy_file_range(fd, &at, to, NULL, 45, 0);
	read(-1, bytes, 1);
	read(write_only, bytes, 1);
	write(-1, bytes, 1);
	read(fd, nowhere, 16);
	readv(-1, parts, 2);
	writev(-1, parts, 2);
}

static void io(const char *path)
{
	static const char *const names[] = {"syscr", "rchar", "syscw", "wchar"};
	static const long own_counts[] = {9, 11 + 13 + 150 + 100 + 123 + 45, 7,
					  300 + 7 + 150 + 150 + 123 + 45}; /* of transfer() */
	char before[4096], after[4096], other[4096];
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	int write_only = open("/dev/null", O_WRONLY), to;
	size_t own;

	snprintf(other, sizeof(other), "%s.copy", path);
	to = open(other, O_RDWR | O_CREAT | O_TRUNC, 0600);
	own = text_of("/proc/self/io", before); /* this read is counted after it */
	mark();
	transfer(fd, write_only, to);
	mark();
	text_of("/proc/self/io", after);
	for (int i = 0; i < 4; i++)
		printf("%s %ld\n", names[i],
		       !own ? own_counts[i]
			    : number(after, names[i]) - number(before, names[i]) -
				       (i == 0	 ? 1
					: i == 1 ? (long)own
						 : 0));
}

static void faults(int n)
{
	long page = sysconf(_SC_PAGESIZE);
	char *pages =
		mmap(NULL, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rusage before, after;

	madvise(pages, n * page, MADV_NOHUGEPAGE);
	getrusage(RUSAGE_SELF, &before);
	getrusage(RUSAGE_SELF, &after);
	mark();
	getrusage(RUSAGE_SELF, &before);
	for (int i = 0; i < n; i++)
		((volatile char *)pages)[i * page] = 1;
	getrusage(RUSAGE_SELF, &after);
	mark();
	printf("%ld\n", after.ru_minflt + after.ru_majflt - before.ru_minflt - before.ru_majflt);
}

/* Map n pages at a multiple of 2 MiB; advice: huge pages, or none. */
static char *pages_of(int n, int advice)
{
	size_t huge = 2 << 20, size = n * (size_t)sysconf(_SC_PAGESIZE);
	char *pages =
		mmap(NULL, size + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	pages += -(uintptr_t)pages % huge;
	madvise(pages, size, advice);
	return pages;
}

/* Write to each of n pages. */
static void write_pages(char *pages, int n)
{
	long page = sysconf(_SC_PAGESIZE);

	for (int i = 0; i < n; i++)
		((volatile char *)pages)[i * page] = 1;
}

static void read_pages(const char *pages, int n)
{
	long page = sysconf(_SC_PAGESIZE);

	for (int i = 0; i < n; i++)
		(void)((const volatile char *)pages)[i * page];
}

/* Return the number of anonymous pages: the kernel may drop pages of files. */
static long resident(void)
{
	char text[4096];

	text_of("/proc/self/smaps_rollup", text);
	return number(text, "Anonymous") / (sysconf(_SC_PAGESIZE) / 1024);
}

static void zeroed(int n)
{
	char *fresh = pages_of(n, MADV_NOHUGEPAGE), *known = pages_of(n, MADV_NOHUGEPAGE),
	     *huge = pages_of(512, MADV_HUGEPAGE);
	long before;

	read_pages(known, n);
	resident(); /* touches the pages of its stack */
	before = resident();
	mark();
	write_pages(fresh, n);
	write_pages(known, n);
	write_pages(huge, 1);
	mark();
	printf("%ld\n", resident() - before);
}

static void swapped(int n)
{
	char *pages = pages_of(n, MADV_NOHUGEPAGE);

	mark();
	write_pages(pages, n);
	madvise(pages, n * (size_t)sysconf(_SC_PAGESIZE), MADV_PAGEOUT);
	read_pages(pages, n);
	mark();
}

static sigjmp_buf away;

static void jump_away(int number)
{
	(void)number;
	siglongjmp(away, 1);
}

/* Try to write to a page, and take the signal. */
static void try_page(volatile char *page)
{
	if (!sigsetjmp(away, 1))
		*page = 1;
}

static long all_faults(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_minflt + u.ru_majflt;
}

/* Have the kernel write to each of n pages. */
static void read_to_pages(char *pages, int n)
{
	int zero = open("/dev/zero", O_RDONLY);

	for (int i = 0; i < n; i++)
		if (read(zero, pages + i * sysconf(_SC_PAGESIZE), 1) != 1)
			exit(1);
	close(zero);
}

static void copied(const char *path, int n)
{
	long page = sysconf(_SC_PAGESIZE), size = (n + 1) * page, before, copies = 0;
	char *shared = pages_of(n + 1, MADV_NOHUGEPAGE), *others = pages_of(n + 1, MADV_NOHUGEPAGE),
	     *own, *all, *locked;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	pid_t child;

	if (ftruncate(fd, size))
		exit(1);
	own = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	all = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	locked = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(locked, size, MADV_NOHUGEPAGE);
	signal(SIGSEGV, jump_away);
	write_pages(shared, n + 1);
	write_pages(others, n + 1);
	child = fork();
	if (child) {
		waitpid(child, NULL, 0);
		return;
	}
	read_pages(locked, n + 1);
	/*
	 * the first page is for a round that is not counted: it touches the code, the data and the
	 * stack of the others
	 */
	for (int first = 0; first < 2; first++) {
		int some = first ? n : 1;
		long at = first * page;

		if (first)
			mark();
		before = all_faults();
		write_pages(shared + at, some);
		read_to_pages(others + at, some);
		write_pages(own + at, some);
		copies = all_faults() - before;
		for (int i = 0; i < some; i++)
			try_page(locked + at + i * page);
		write_pages(all + at, some);
	}
	mark();
	printf("%ld\n", copies);
	fflush(stdout);
	_exit(0);
}

static void switches(int n)
{
	struct rusage before, after;

	getrusage(RUSAGE_SELF, &before);
	mark();
	for (int i = 0; i < n; i++) {
		usleep(1000);
		sched_yield();
	}
	mark();
	getrusage(RUSAGE_SELF, &after);
	printf("all %ld\ninvoluntary %ld\n",
	       after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw,
	       after.ru_nivcsw - before.ru_nivcsw);
}

/* Return how often this thread has been woken. */
static long wakeups(void)
{
	char text[4096];

	text_of("/proc/self/sched", text);
	return number(text, "nr_wakeups ");
}

static void woken(int n)
{
	long before = wakeups();
	clock_t end;

	mark();
	for (int i = 0; i < n; i++)
		usleep(1000);
	end = clock() + CLOCKS_PER_SEC / 5;
	while (clock() < end)
		;
	mark();
	printf("%ld\n", wakeups() - before);
}

static void move_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void migrations(int n)
{
	char before[4096], after[4096];

	move_to(0);
	text_of("/proc/self/sched", before);
	mark();
	for (int i = 0; i < n; i++) {
		move_to(1);
		move_to(0);
	}
	mark();
	text_of("/proc/self/sched", after);
	printf("%ld\n", number(after, "se.nr_migrations") - number(before, "se.nr_migrations"));
}

static void *thread(void *unused)
{
	return unused;
}

/* Fork n times; the children end at once. */
static void fork_times(int n)
{
	for (int i = 0; i < n; i++) {
		pid_t child = fork();

		if (!child)
			_exit(0);
		if (child > 0)
			waitpid(child, NULL, 0);
	}
}

static void forks(int n)
{
	struct rlimit none = {0, 0};
	pthread_t t;

	mark();
	fork_times(n);
	for (int i = 0; i < n + 1; i++) {
		pid_t child = vfork();

		if (!child)
			_exit(0);
		waitpid(child, NULL, 0);
	}
	for (int i = 0; i < n + 2; i++)
		if (!pthread_create(&t, NULL, thread, NULL))
			pthread_join(t, NULL);
	setrlimit(RLIMIT_NPROC, &none);
	setresuid(12345, 12345, 12345);
	fork_times(n);
	mark();
}

static void execs(void)
{
	char *const argv[] = {"counted", NULL};

	for (int i = 0; i < 3; i++)
		execve("/not/there", argv, environ);
	execve("/proc/self/exe", argv, environ);
}

static void names(int n)
{
	struct stat unused;

	mark();
	for (int i = 0; i < n; i++) {
		stat("/proc/self", &unused);
		close(open("/dev/null", O_RDONLY));
		mkdir("counted.folder", 0700);
		rename("counted.folder", "counted.other");
		rmdir("counted.other");
	}
	mark();
}

static void messages(int n)
{
	struct {
		long kind;
		char text[8];
	} message = {.kind = 1};
	struct sembuf up = {.sem_op = 1};
	int queue = msgget(IPC_PRIVATE, 0600), semaphore = semget(IPC_PRIVATE, 1, 0600);

	mark();
	for (int i = 0; i < n; i++) {
		msgsnd(queue, &message, sizeof(message.text), 0);
		msgrcv(queue, &message, sizeof(message.text), 0, 0);
		semop(semaphore, &up, 1);
	}
	mark();
	msgctl(queue, IPC_RMID, NULL);
	semctl(semaphore, 0, IPC_RMID);
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 0;

	if (!strcmp(verb, "io"))
		io(argv[2]);
	else if (!strcmp(verb, "faults"))
		faults(n);
	else if (!strcmp(verb, "zeroed"))
		zeroed(n);
	else if (!strcmp(verb, "copied"))
		copied(argv[2], argc > 3 ? atoi(argv[3]) : 0);
	else if (!strcmp(verb, "swapped"))
		swapped(n);
	else if (!strcmp(verb, "switches"))
		switches(n);
	else if (!strcmp(verb, "wakeups"))
		woken(n);
	else if (!strcmp(verb, "migrations"))
		migrations(n);
	else if (!strcmp(verb, "forks"))
		forks(n);
	else if (!strcmp(verb, "execs"))
		execs();
	else if (!strcmp(verb, "names"))
		names(n);
	else if (!strcmp(verb, "messages"))
		messages(n);
	return 0;
}
