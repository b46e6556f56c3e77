/* SPDX-License-Identifier: MIT */
/*
 * maps.c - processes map one page of a file very often, and one of them registers probes there, and
 * asks for a stop point: uprobes goes through all mappings to set a breakpoint, or to remove it.
 *
 *	attack-maps FILE PROCESSES MAPPINGS [MORE]	make FILE; each process maps it that often
 *	attack-maps FILE PROCESSES MAPPINGS beside	or the pages before and after it
 *	attack-maps FILE SEMAPHORE	register a probe there, with its semaphore (0) or not (2)
 *
 * It prints whether it gets the stop point, then "go", and reads a line. With MORE, it has more
 * probes, and keeps the stop point; each process maps the page that often again. Then it prints
 * "more", reads a line, closes the stop point, calls the code of a probe, prints whether the
 * breakpoint is there before and after, then "called", and reads a line.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <dtrace/fasttrap.h>
#include <dtrace/helper.h>
#include <dtrace/ioctl.h>
#include "lib/sites.h"

#define PAGE  4096
#define PAGES 3 /* of the file: the second one has the code, the third one the semaphores */
#define CODE  1
#define SITES 41 /* the first one has a semaphore */

/* Map a page of the file once. */
static char *map(int fd, int page)
{
	char *at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, (off_t)page * PAGE);

	if (at == MAP_FAILED)
		err(3, "mmap");
	return at;
}

/*
 * Register probes at the code, by DOF at an address that is known before. sema: where in the last
 * page of the file the semaphore is.
 */
static void register_probes(const char *provider, uint32_t n, const char *code, int fd,
			    unsigned int sema)
{
	char *at =
		mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *data = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, (CODE + 1) * PAGE);
	int helper = open(DTRACE_HELPER_DEVICE, O_RDWR);
	struct site sites[SITES] = {{"p", (uintptr_t)code, (uintptr_t)data + sema}};
	struct dof_bytes dof;

	for (int i = 1; i < SITES; i++)
		sites[i] = (struct site){"q", (uintptr_t)code + 16 * i, 0};
	dof = sites_dof(provider, sites, n, (uintptr_t)at);
	memcpy(at, dof.data, dof.size);
	if (ioctl(helper, DTRACEHIOC_ADD, at) < 0)
		err(3, "registration");
	close(helper);
}

/* Try to set a stop point at the code. Return the tracer. */
static int stop_at(const char *code)
{
	dtrace_stop_address_t stop = {
		.dtfa_pid = getpid(), .dtfa_timeout = 1, .dtfa_address = (uintptr_t)code + 1};
	int fd = open(DTRACE_FASTTRAP_DEVICE, O_RDWR);

	printf("stop point: %s\n",
	       ioctl(fd, DTRACEFTIOC_STOP_ADDRESS, &stop) < 0 ? strerror(errno) : "set");
	return fd;
}

/* Say something, and read a line. */
static void say(const char *text)
{
	int c;

	puts(text);
	fflush(stdout);
	while ((c = getchar()) != '\n' && c != EOF)
		;
}

int main(int argc, char **argv)
{
	int processes = argc >= 4 ? atoi(argv[2]) : 0, mappings = argc >= 4 ? atoi(argv[3]) : 0;
	int more = argc == 5 ? atoi(argv[4]) : 0, fd, stop, ready[2], go[2];
	int beside = argc == 5 && strcmp(argv[4], "beside") == 0;
	char pages[PAGES * PAGE], *text = pages + CODE * PAGE, done, before, *code;

	fd = open(argv[1], O_RDWR | O_CREAT, 0755);
	if (argc == 3) {
		register_probes("other", 1, map(fd, CODE), fd, atoi(argv[2]));
		say("go");
		return 0;
	}
	if (!processes)
		errx(2, "see the source");
	memset(pages, 0, sizeof(pages));
	memset(text, 0x90, PAGE);
	text[2] = (char)0xc3; /* ret */
	if (write(fd, pages, sizeof(pages)) != sizeof(pages) || pipe(ready) || pipe(go))
		err(3, "%s", argv[1]);
	for (int i = 0; i < processes; i++)
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (int k = 0; k < mappings; k++)
				map(fd, !beside ? CODE : k % 2 ? CODE + 1 : CODE - 1);
			write(ready[1], "", 1);
			read(go[0], &done, 1);
			for (int k = 0; k < more; k++)
				map(fd, CODE);
			write(ready[1], "", 1);
			pause();
		}
	for (int i = 0; i < processes; i++)
		read(ready[0], &done, 1);
	code = map(fd, CODE);
	register_probes("maps", more ? SITES : 1, code, fd, 0);
	stop = stop_at(map(fd, CODE));
	if (!more)
		close(stop);
	say("go");
	if (!more)
		return 0;
	for (int i = 0; i < processes; i++)
		write(go[1], "", 1);
	for (int i = 0; i < processes; i++)
		read(ready[0], &done, 1);
	say("more");
	close(stop);
	before = *code;
	((void (*)(void))(uintptr_t)code)();
	printf("breakpoint %s, then %s\n", before == *text ? "none" : "there",
	       *code == *text ? "none" : "there");
	say("called");
	return 0;
}
