/* SPDX-License-Identifier: MIT */
/*
 * setid.c - a user's process registers sites of a set-user-ID program, and a semaphore in its data,
 * and then executes it. At its sites, the program hits breakpoints of another tracer. It must get
 * nothing that the user has registered.
 *
 *	attack-setid offsets	print the offsets of this program's sites and semaphore in its file
 *	attack-setid storm N	register many sites, and fork N children by several processes at
 *				once; print "go", and wait
 *	attack-setid own FILE HIT ARMED SEMAPHORE
 *				map the program, register, print "go", wait for a line on standard
 *				input, and run the program with the verb `hit` in a child
 *	attack-setid hit		execute the site; a second later, print the semaphore
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <dtrace/helper.h>
#include "lib/sites.h"

#define NSITES	 4000
#define NPARENTS 8

/* Two sites, and code with space for the sites of a storm. */
extern const char setid_hit[], setid_armed[], setid_storm[];
void setid_call(void);
__asm__(".text\n.globl setid_call, setid_hit, setid_armed, setid_storm\nsetid_call:\n"
	"setid_hit: .byte 0x90\nsetid_armed: .byte 0x90\nret\nsetid_storm: .skip 4096, 0x90\nret\n");

static volatile uint16_t setid_semaphore[64] = {0, 1}; /* in .data */

static void go(void)
{
	puts("go");
	fflush(stdout);
}

/* Return the offset in the mapped file of an address in this process. */
static unsigned long offset_of(const volatile void *p)
{
	unsigned long start, end, offset, addr = (unsigned long)p, found = 0;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && addr >= start &&
		    addr < end)
			found = offset + addr - start;
	if (maps)
		fclose(maps);
	return found;
}

static void give(const char *provider, const struct site *sites, uint32_t n)
{
	char *base =
		mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct dof_bytes dof = sites_dof(provider, sites, n, (uintptr_t)base);
	dof_helper_t helper = {.dofhp_dof = (uintptr_t)base};
	int fd = open(DTRACE_HELPER_DEVICE, O_RDWR);

	if (base == MAP_FAILED || dof.size > 1 << 20)
		err(3, "mmap");
	memcpy(base, dof.data, dof.size);
	snprintf(helper.dofhp_mod, sizeof(helper.dofhp_mod), "%s", provider);
	if (fd == -1 || ioctl(fd, DTRACEHIOC_ADDDOF, &helper) < 0)
		err(3, "register");
	free(dof.data);
}

/* Fork a child that dies with its parent. */
static pid_t live(void)
{
	pid_t pid = fork();

	if (pid == -1)
		err(3, "fork");
	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

static int storm(int n)
{
	static struct site sites[NSITES];
	int done[2];
	char byte;

	if (pipe(done))
		err(3, "pipe");
	for (unsigned int i = 0; i < NSITES; i++)
		sites[i] = (struct site){"site", (uintptr_t)(setid_storm + i), 0};
	give("storm", sites, NSITES);
	signal(SIGCHLD, SIG_IGN);
	for (int i = 0; i < NPARENTS; i++)
		if (live() == 0) {
			for (int child = 0; child < n / NPARENTS; child++)
				if (live() == 0)
					pause();
			if (write(done[1], "", 1) == 1)
				pause();
			_exit(3);
		}
	for (int i = 0; i < NPARENTS; i++)
		if (read(done[0], &byte, 1) != 1)
			err(3, "read");
	go();
	pause();
	return 0;
}

static int own(char **argv)
{
	uint64_t hit = strtoul(argv[3], NULL, 10), armed = strtoul(argv[4], NULL, 10),
		 semaphore = strtoul(argv[5], NULL, 10);
	int fd = open(argv[2], O_RDONLY);
	struct stat st;
	char *code, *data;
	pid_t pid;

	if (fd == -1 || fstat(fd, &st))
		err(3, "%s", argv[2]);
	code = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	data = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (code == MAP_FAILED || data == MAP_FAILED)
		err(3, "mmap");
	give("setid",
	     (struct site[]){{"hit", (uintptr_t)(code + hit), 0},
			     {"armed", (uintptr_t)(code + armed), (uintptr_t)(data + semaphore)}},
	     2);
	go();
	getchar();
	printf("its own semaphore: %d\n", *(volatile uint16_t *)(void *)(data + semaphore));
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		execl(argv[2], argv[2], "hit", NULL);
		_exit(3);
	}
	waitpid(pid, NULL, 0);
	return 0;
}

static int hit(void)
{
	for (int i = 0; i < 100 && !setid_semaphore[2]; i++) {
		setid_call();
		usleep(10000);
	}
	printf("user %d as %d: semaphore %d\n", getuid() != 0, geteuid(), setid_semaphore[2]);
	return 0;
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";

	if (!strcmp(verb, "offsets"))
		printf("%lu %lu %lu\n", offset_of(setid_hit), offset_of(setid_armed),
		       offset_of(&setid_semaphore[2]));
	else if (!strcmp(verb, "storm") && argc == 3)
		return storm(atoi(argv[2]));
	else if (!strcmp(verb, "own") && argc == 6)
		return own(argv);
	else if (!strcmp(verb, "hit"))
		return hit();
	else
		errx(2, "see the source");
	return 0;
}
