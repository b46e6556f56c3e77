/* SPDX-License-Identifier: MIT */
/*
 * forger.c - a program whose kept DOF (<dtrace/join.h>) is not what sessions expect.
 *
 *	forger FIFO FILE SEED
 *
 * It makes probe forger:::hit in a module whose name has control characters, and writes its pid
 * into FIFO. Until there is FILE, it fires the probe, and, unless SEED is 0, replaces words of the
 * kept DOF, or maps other files with that name: empty, cut off, larger than any DOF, or thousands.
 */
#define _GNU_SOURCE
#include <dtrace-probes.h>
#include <dtrace/join.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "../../lib/random.h"

#define PAGE  4096UL
#define LARGE (1UL << 40)
#define MANY  1500
#define WORDS 6 /* the most that a turn changes */

static uint64_t seed = RANDOM_SEED;
static uint64_t *kept; /* the DOF that the library keeps */
static size_t nwords;

static uint64_t below(uint64_t n)
{
	return random_next(&seed) % n;
}

/* Find what the library keeps, and make it writable. Return whether it is there. */
static int kept_find(void)
{
	FILE *fp = fopen("/proc/self/maps", "r");
	unsigned long start, end;
	char line[512];

	while (fp && !kept && fgets(line, sizeof line, fp))
		if (strstr(line, "/memfd:" DTRACE_JOIN_KEPT) &&
		    sscanf(line, "%lx-%lx", &start, &end) == 2) {
			kept = (uint64_t *)start;
			nwords = sizeof(struct dtrace_join_kept) / 8 + 60;
			mprotect(kept, end - start, PROT_READ | PROT_WRITE);
		}
	if (fp)
		fclose(fp);
	return !!kept;
}

static uint64_t value_for(uint64_t old)
{
	switch (below(6)) {
	case 0:
		return 0;
	case 1:
		return ~0UL >> below(64);
	case 2:
		return old ^ 1UL << below(64);
	case 3:
		return random_next(&seed);
	case 4:
		return kept[below(nwords)];
	default:
		return old + below(64) - 32;
	}
}

/* Map a file of some bytes with the name of kept DOF. Return the mapping. */
static void *file_map(size_t bytes, size_t mapped)
{
	int fd = memfd_create(DTRACE_JOIN_KEPT, 0);
	void *at;

	if (ftruncate(fd, (off_t)bytes))
		abort();
	at = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	close(fd);
	if (at == MAP_FAILED)
		abort();
	return at;
}

/* Map a file once, or as often as a process may, while sessions look. */
static void files_show(size_t bytes, size_t mapped, int n)
{
	static void *at[MANY];

	for (int i = 0; i < n; i++) {
		at[i] = file_map(bytes, mapped);
		if (bytes >= PAGE)
			memcpy(at[i], kept, nwords * 8);
	}
	usleep(1000);
	for (int i = 0; i < n; i++)
		munmap(at[i], mapped);
}

static void words_change(void)
{
	uint64_t old[WORDS], *at[WORDS];
	size_t n = 1 + below(WORDS);

	for (size_t i = 0; i < n; i++) {
		at[i] = kept + below(below(2) ? nwords : sizeof(struct dtrace_join_kept) / 8);
		old[i] = *at[i];
		*at[i] = value_for(old[i]);
	}
	usleep(1000);
	while (n--)
		*at[n] = old[n];
}

int main(int argc, char **argv)
{
	dtp_provider_t *provider = dtp_provider_create("forger", "module");
	dtp_probe_t *hit = dtp_probe_add(provider, "main", "hit", 0, NULL);
	unsigned long number;
	FILE *fifo;

	if (argc != 4 || dtp_provider_enable(provider) || !kept_find())
		return 1;
	strcpy(((struct dtrace_join_kept *)kept)->dof.helper.dofhp_mod, "\033[2J\t: m");
	number = strtoul(argv[3], NULL, 10);
	seed += number * 0x9e3779b97f4a7c15UL;
	fifo = fopen(argv[1], "w");
	fprintf(fifo, "%d\n", getpid());
	fclose(fifo);
	while (access(argv[2], F_OK)) {
		switch (number ? below(40) : 40) {
		case 0:
			files_show(0, PAGE, 1);
			break;
		case 1:
			files_show(PAGE, 64 * PAGE, 1);
			break;
		case 2:
			files_show(LARGE, LARGE, 1);
			break;
		case 3:
			files_show(PAGE, PAGE, MANY);
			break;
		case 40:
			usleep(1000);
			break;
		default:
			words_change();
		}
		dtp_fire(hit, NULL);
	}
	return 0;
}
