// SPDX-License-Identifier: MIT
/*
 * torture_work.c - compute the same number again and again, while sessions trace the program.
 *
 *	torture-work LIBRARY		one round; prints its result
 *	torture-work LIBRARY RESULT	rounds until SIGTERM, each of which must have that result;
 *					then prints how many bytes of its program text differ from
 *					the files. Status 1: a result was wrong, or text differs
 *
 * Threads, children and a library that is loaded for it do the work of a round. Meanwhile pages of
 * program text are made writable or unreadable, or are dropped and then read from the file again.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <err.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS	 3
#define CHILDREN 2
#define TIMES	 40			   /* how often a thread does its work in a round */
#define OURS	 __attribute__((noinline)) /* a function that can be traced */

static const char *library;
static volatile sig_atomic_t ended;

/* ---- the work ---- */

OURS unsigned long work_recurse(unsigned long n)
{
	return n == 0 ? 1 : n + 3 * work_recurse(n - 1);
}

OURS unsigned long work_switch(unsigned long n)
{
	switch (n % 8) {
	case 0:
		return n / 3;
	case 1:
		return n * 7;
	case 2:
		return n ^ 0x55;
	case 3:
		return work_recurse(n % 5);
	case 4:
		return ~n;
	case 5:
		return n << 3;
	case 6:
		return n - 11;
	default:
		return n + work_recurse(2);
	}
}

OURS unsigned long work_float(unsigned long n)
{
	double x = (double)n;

	for (int i = 0; i < 8; i++)
		x = x * 1.25 + 2.5;
	return (unsigned long)x;
}

static int work_order(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return x < y ? -1 : x > y;
}

OURS unsigned long work_sort(unsigned long n)
{
	unsigned int numbers[16];

	for (unsigned int i = 0; i < 16; i++)
		numbers[i] = (unsigned int)(n * 2654435761u) >> i;
	qsort(numbers, 16, sizeof(numbers[0]), work_order);
	return numbers[3] + 5ul * numbers[12];
}

OURS unsigned long work_text(unsigned long n)
{
	char *text = malloc(200);
	unsigned long sum = 0;

	if (!text)
		return 0;
	snprintf(text, 200, "%lx and %lu of them", n, n % 1000);
	for (const char *c = text; *c; c++)
		sum = sum * 31 + (unsigned char)*c;
	sum += strlen(text);
	free(text);
	return sum;
}

static unsigned long (*const work[])(unsigned long) = {work_switch, work_float, work_sort,
						       work_text, work_recurse};
#define KINDS (sizeof(work) / sizeof(work[0]))

OURS unsigned long work_all(unsigned long first)
{
	unsigned long sum = 0;

	for (unsigned long i = 0; i < KINDS; i++)
		sum = sum * 13 + work[i]((first + i) % 60);
	return sum;
}

/* ---- threads and processes that do the work ---- */

static void *thread_main(void *data)
{
	unsigned long sum = 0, first = (uintptr_t)data;

	for (unsigned long i = 0; i < TIMES; i++)
		sum += work_all(first + i);
	return (void *)(uintptr_t)sum;
}

/* Return the result of a child, which it writes into a pipe; 0 if it died. */
static unsigned long child(unsigned long first)
{
	unsigned long sum = 0;
	int ends[2];
	pid_t pid;

	if (pipe(ends))
		err(3, "pipe");
	pid = fork();
	if (pid == 0) {
		sum = work_all(first) + work_all(first + 9);
		_exit(write(ends[1], &sum, sizeof(sum)) != sizeof(sum));
	}
	close(ends[1]);
	if (pid < 0 || read(ends[0], &sum, sizeof(sum)) != sizeof(sum))
		sum = 0;
	close(ends[0]);
	waitpid(pid, NULL, 0);
	return sum;
}

/* Let a child with the memory of its parent do some work. */
OURS static unsigned long borrower(void)
{
	volatile unsigned long sum = 0;
	pid_t pid = vfork();

	if (pid == 0) {
		sum = work_recurse(4);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	return sum;
}

/* ---- program text, disturbed ---- */

struct text {
	const char *name; /* of the file; in: of the file to find */
	char *start;
	size_t size;
};

static int find_text(struct dl_phdr_info *info, size_t size, void *data)
{
	struct text *text = data;

	(void)size;
	if (strcmp(text->name, info->dlpi_name) != 0)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
			continue;
		text->start = (char *)((info->dlpi_addr + part->p_vaddr) & ~0xffful);
		text->size = (part->p_memsz + 0xfff) & ~0xffful;
	}
	return 1;
}

/*
 * Make the program text longer than a page, so that its mapping can be divided. When it is, the
 * kernel writes breakpoints again that were dropped with their pages.
 */
__asm__(".pushsection .text\n\t.skip 8192, 0xcc\n\t.popsection");

/* Change and restore the protection of a file's program text. quiet: no thread runs there now. */
static void disturb(const char *name, unsigned int how, int quiet)
{
	struct text text = {.name = name};
	int usual = PROT_READ | PROT_EXEC;

	dl_iterate_phdr(find_text, &text);
	if (!text.start)
		errx(3, "%s: no program text", name);
	switch (how % 4) {
	case 0:
		mprotect(text.start, text.size, usual | PROT_WRITE);
		break;
	case 1:
		madvise(text.start, text.size, MADV_DONTNEED);
		break;
	case 2: /* in two */
		mprotect(text.start, 0x1000, usual | PROT_WRITE);
		break;
	default:
		if (quiet)
			mprotect(text.start, text.size, PROT_NONE);
	}
	usleep(1000);
	if (mprotect(text.start, text.size, usual))
		err(3, "mprotect");
}

static unsigned long loaded(unsigned int round)
{
	unsigned long (*fibonacci)(unsigned long), (*collatz)(unsigned long), sum;
	void *handle = dlopen(library, RTLD_NOW);

	if (!handle)
		errx(3, "%s", dlerror());
	fibonacci = (unsigned long (*)(unsigned long))(uintptr_t)dlsym(handle, "part_fibonacci");
	collatz = (unsigned long (*)(unsigned long))(uintptr_t)dlsym(handle, "part_collatz");
	sum = fibonacci(6);
	disturb(library, round, 1);
	sum = sum * 7 + fibonacci(7) + collatz(27);
	dlclose(handle);
	return sum;
}

static unsigned long do_round(unsigned int round)
{
	pthread_t threads[THREADS];
	unsigned long sum = 0;
	void *result;

	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, thread_main, (void *)(100 * i)))
			errx(3, "no thread");
	disturb("", round, 0);
	for (unsigned long i = 0; i < CHILDREN; i++)
		sum = sum * 3 + child(i);
	sum += loaded(round) + borrower();
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &result);
		sum = sum * 3 + (uintptr_t)result;
	}
	return sum;
}

/* ---- program text, compared ---- */

static unsigned long differing(const unsigned char *start, size_t size, const char *path,
			       off_t offset)
{
	unsigned char *file = malloc(size);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 || !file ? -1 : pread(fd, file, size, offset);
	unsigned long differ = 0;

	if (n < 0)
		err(3, "%s", path);
	for (ssize_t i = 0; i < n; i++)
		differ += start[i] != file[i];
	close(fd);
	free(file);
	return differ;
}

static unsigned long text_changed(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end, offset, changed = 0;
	char line[4300], path[4097];

	if (!maps)
		err(3, "/proc/self/maps");
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx r-xp %lx %*s %*s /%4095s", &start, &end, &offset,
			   path + 1) == 4) {
			path[0] = '/';
			changed += differing((const unsigned char *)start, end - start, path,
					     (off_t)offset);
		}
	fclose(maps);
	return changed;
}

/* ---- */

static void on_term(int sig)
{
	(void)sig;
	ended = 1;
}

static int repeat(unsigned long right)
{
	unsigned long got, changed;

	for (unsigned int round = 0; !ended; round++) {
		got = do_round(round);
		if (got != right) {
			printf("round %u: %lx, not %lx\n", round, got, right);
			return 1;
		}
	}
	changed = text_changed();
	if (changed)
		printf("%lu bytes of program text are not the files'\n", changed);
	return changed != 0;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 3;
	library = argv[1];
	signal(SIGTERM, on_term);
	if (argc > 2)
		return repeat(strtoul(argv[2], NULL, 16));
	printf("%lx\n", do_round(0));
	return 0;
}
