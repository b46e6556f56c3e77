// SPDX-License-Identifier: MIT
/*
 * scribbler.c - a traced process that writes to the memory that dtrace shares with it.
 *
 *	scribbler SEED ROUNDS
 *	scribbler SEED words
 *	scribbler entries
 *	scribbler control
 *
 * A round fires hit(number, text) some times, changes a few words of that memory, at random or in
 * structures, gives dtrace time to read them, and restores the words that have not changed since.
 * The process survives its own changes: a fault within a hit ends the hit. At the end it writes to
 * all pages that are in use.
 *
 * With "words" it changes each word of the pages that are in use, some neighbours at a time, and
 * prints how many there were.
 *
 * With "entries" it gives the first entry of the first aggregation another number, and the last one
 * a size that no entry has. The aggregation counts, with an integer as its key.
 *
 * With "control" it tries to write to the shared memory that it may only read.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sdt.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "../../lib/random.h"
#include "agent.h"

#define PAGE	4096UL
#define REGIONS 8
#define FRESH	64
#define WORDS	6  /* the most that a round changes */
#define HITS	24 /* of a round */
#define ROW	16 /* words that are changed at a time, if all are */

struct region {
	uint64_t *start;
	size_t npages;
	unsigned char *resident; /* by page */
	uint64_t *sums;		 /* by page: of its words, when they were last read */
};

static struct region regions[REGIONS];
static size_t nregions;
static uint64_t *fresh[FRESH]; /* pages that the last hits have changed */
static size_t nfresh;
static uint64_t seed = RANDOM_SEED;
static sigjmp_buf back;
static volatile sig_atomic_t in_hit, late;

static uint64_t below(uint64_t n)
{
	return random_next(&seed) % n;
}

/* End a hit with a fault, or one that does not end itself. */
static void on_trouble(int sig)
{
	if (sig == SIGALRM && (!in_hit || !late++))
		return;
	siglongjmp(back, 1);
}

static void hits(int n)
{
	const struct itimerval limit = {{0, 100000}, {0, 100000}}, none = {0};

	late = 0;
	setitimer(ITIMER_REAL, &limit, NULL);
	in_hit = 1;
	if (sigsetjmp(back, 1) == 0)
		for (int i = 0; i < n; i++)
			DTRACE_PROBE2(scribbler, hit, i, "some text");
	in_hit = 0;
	setitimer(ITIMER_REAL, &none, NULL);
}

/* Find the memory that dtrace shares with this process. Return whether there is a region. */
static bool regions_find(void)
{
	FILE *fp = fopen("/proc/self/maps", "r");
	char line[512];

	while (fp && nregions < REGIONS && fgets(line, sizeof(line), fp)) {
		unsigned long start, end;

		if (!strstr(line, "memfd:dtrace-") || !strstr(line, " rw-s ") ||
		    sscanf(line, "%lx-%lx", &start, &end) != 2)
			continue;
		regions[nregions].start = (uint64_t *)start;
		regions[nregions].npages = (end - start) / PAGE;
		regions[nregions].resident = malloc((end - start) / PAGE);
		regions[nregions].sums = calloc((end - start) / PAGE, sizeof(uint64_t));
		nregions++;
	}
	if (fp)
		fclose(fp);
	return nregions != 0;
}

/* Note which pages are in use. */
static void regions_look(void)
{
	for (size_t i = 0; i < nregions; i++)
		mincore(regions[i].start, regions[i].npages * PAGE, regions[i].resident);
}

static uint64_t page_sum(const uint64_t *page)
{
	uint64_t sum = 1;

	for (size_t i = 0; i < PAGE / 8; i++)
		sum = sum * 31 + page[i];
	return sum;
}

/* Note which pages have changed since the last call. */
static void fresh_look(void)
{
	nfresh = 0;
	for (size_t i = 0; i < nregions; i++)
		for (size_t page = 0; page < regions[i].npages; page++) {
			uint64_t *at = regions[i].start + page * (PAGE / 8), sum;

			if (!(regions[i].resident[page] & 1))
				continue;
			sum = page_sum(at);
			if (sum != regions[i].sums[page] && nfresh < FRESH)
				fresh[nfresh++] = at;
			regions[i].sums[page] = sum;
		}
}

/*
 * Return a word that is not 0, if possible, of the pages that have changed: records, entries,
 * values.
 */
static uint64_t *word_fresh(void)
{
	uint64_t *word = NULL;

	for (int i = 0; nfresh && i < 1000; i++) {
		word = fresh[below(nfresh)] + below(PAGE / 8);
		if (*word)
			break;
	}
	return word;
}

/* Return a word of a page that is in use, if possible one that is not 0. */
static uint64_t *word_anywhere(void)
{
	const struct region *r = &regions[below(nregions)];
	uint64_t *word = r->start;

	for (int i = 0; i < 10000; i++) {
		size_t page = below(r->npages);

		if (!(r->resident[page] & 1))
			continue;
		word = r->start + page * (PAGE / 8) + below(PAGE / 8);
		if (*word)
			break;
	}
	return word;
}

/* Return a word of the region's head, of its slots, or of their states. */
static uint64_t *word_of_structure(void)
{
	const struct agent_head *head = NULL;

	for (size_t i = 0; i < nregions && !head; i++)
		if (*regions[i].start == AGENT_MAGIC)
			head = (const void *)regions[i].start;
	if (!head)
		return word_anywhere();
	if (below(2) && head->cpus < head->size - (64UL << 10))
		return (uint64_t *)((char *)head + head->cpus + below(8UL << 10) / 8 * 8);
	return (uint64_t *)head + below(offsetof(struct agent_head, slots) / 8 + 8 * 8);
}

static uint64_t value_for(uint64_t old)
{
	static const uint64_t odd[] = {0,	   ~0UL,      1UL << 63, ~0UL >> 1,
				       0xffffffff, 1UL << 31, 1UL << 32};

	switch (below(8)) {
	case 0:
		return odd[below(sizeof(odd) / sizeof(odd[0]))];
	case 1:
		return old ^ 1UL << below(64);
	case 2:
		return old + 8 * (below(64) - 32);
	case 3:
		return random_next(&seed);
	case 4:
		return below(256);
	case 5:
		return old << 32 | old >> 32;
	case 6:
		return (old & ~0xffffffffUL) | (uint32_t)random_next(&seed);
	default:
		return *word_anywhere();
	}
}

static uint64_t *word_choose(void)
{
	switch (nfresh ? below(4) : below(2)) {
	case 0:
		return word_of_structure();
	case 1:
		return word_anywhere();
	default:
		return word_fresh();
	}
}

static void look(void)
{
	const struct timespec nap = {0, 1500000};

	nanosleep(&nap, NULL);
}

static void scribble(void)
{
	struct {
		uint64_t *at, old, new;
	} changed[WORDS];
	size_t n = 1 + below(WORDS);

	for (size_t i = 0; i < n; i++) {
		changed[i].at = word_choose();
		changed[i].old = *changed[i].at;
		changed[i].new = value_for(changed[i].old);
		*changed[i].at = changed[i].new;
	}
	look();
	while (n--)
		if (*changed[n].at == changed[n].new)
			*changed[n].at = changed[n].old;
}

/* Change a row of words at a time, give dtrace time to read them, and fire. */
static void scribble_row(uint64_t *row)
{
	uint64_t old[ROW], new[ROW];

	for (int i = 0; i < ROW; i++) {
		old[i] = row[i];
		row[i] = new[i] = value_for(old[i]);
	}
	look();
	hits(2);
	for (int i = 0; i < ROW; i++)
		if (row[i] == new[i])
			row[i] = old[i];
}

/*
 * Change each word of the pages that are in use, the head last: damage there can end tracing.
 * Return their number.
 */
static unsigned long scribble_words(void)
{
	unsigned long n = 0;

	regions_look();
	for (size_t i = 0; i < nregions; i++)
		for (size_t page = regions[i].npages; page-- > 0;)
			for (size_t k = 0; regions[i].resident[page] & 1 && k < PAGE / 8;
			     k += ROW) {
				scribble_row(regions[i].start + page * (PAGE / 8) + k);
				n += ROW;
			}
	return n;
}

/* Write to all pages that are in use. */
static void scribble_all(void)
{
	regions_look();
	for (size_t i = 0; i < nregions; i++)
		for (size_t page = 0; page < regions[i].npages; page++)
			for (size_t k = 0; regions[i].resident[page] & 1 && k < PAGE / 8; k++)
				if (below(4) == 0)
					regions[i].start[page * (PAGE / 8) + k] =
						value_for(below(PAGE));
}

/* Return whether there were entries to change. */
static bool scribble_entries(void)
{
	const uint64_t entry = 24ULL << 32 | 1; /* dtrace_aggrec_t: 24 bytes of aggregation 1 */
	uint64_t *first = NULL, *last = NULL;

	regions_look();
	for (size_t i = 0; i < nregions; i++)
		for (size_t k = 0; k < regions[i].npages * (PAGE / 8); k++) {
			uint64_t *at = regions[i].start + k;

			if (!(regions[i].resident[k / (PAGE / 8)] & 1) || *at != entry)
				continue;
			first = first ? first : at;
			last = at;
		}
	if (first == last)
		return false;
	*first += 98;
	*last = 7ULL << 32 | 1;
	return true;
}

/* Print what becomes of the attempt to make shared memory writable that this process may read. */
static void control_try(void)
{
	FILE *fp = fopen("/proc/self/maps", "r");
	unsigned long start, end;
	char line[512], name[16];

	while (fp && fgets(line, sizeof(line), fp)) {
		if (sscanf(line, "%lx-%lx r--s %*s %*s %*s /memfd:dtrace-%15s", &start, &end,
			   name) != 3)
			continue;
		if (mprotect((void *)start, end - start, PROT_READ | PROT_WRITE) == 0)
			memset((void *)start, 0xff, end - start);
		printf("%s: %s\n", name, strerror(errno));
	}
	if (fp)
		fclose(fp);
}

int main(int argc, char **argv)
{
	static char stack[64 << 10];
	const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction trouble = {.sa_handler = on_trouble, .sa_flags = SA_ONSTACK | SA_NODEFER};
	const bool entries = argc == 2 && strcmp(argv[1], "entries") == 0;
	const bool control = argc == 2 && strcmp(argv[1], "control") == 0;
	const bool words = argc == 3 && strcmp(argv[2], "words") == 0;
	long rounds = argc == 3 ? atol(argv[2]) : 0;

	if (!rounds && !entries && !words && !control)
		return 2;
	seed += strtoul(argv[1], NULL, 10) * 0x9e3779b97f4a7c15UL;
	sigaltstack(&alternate, NULL);
	for (int sig = 1; sig < 32; sig++)
		if (sig == SIGSEGV || sig == SIGBUS || sig == SIGILL || sig == SIGFPE ||
		    sig == SIGALRM)
			sigaction(sig, &trouble, NULL);
	hits(HITS);
	if (!regions_find()) {
		fputs("scribbler: nothing is shared\n", stderr);
		return 1;
	}
	if (control) {
		control_try();
		hits(HITS);
		return 0;
	}
	if (entries)
		return scribble_entries() ? 0 : 1;
	if (words)
		printf("%lu words\n", scribble_words());
	for (long i = 0; i < rounds; i++) {
		if (i % 64 == 0)
			regions_look();
		hits(HITS);
		fresh_look();
		scribble();
	}
	scribble_all();
	look();
	return 0;
}
