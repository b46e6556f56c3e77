/* SPDX-License-Identifier: MIT */
/*
 * tables.c - pass unwind tables that are wrong in every way to the module, for SECONDS. Refused
 * tables are counted. Accepted ones are the tables of this process, whose stacks a session records
 * meanwhile.
 *
 *	tables SECONDS		print how many were accepted and refused: "some", "none"
 *	tables check		print the results of wrong requests
 *	tables other PID	pass mappings of another process: print the error
 *	tables missing UID	wait until root learns of a process that needs tables: print how
 *				many the user learns of
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <dtrace/unwind.h>
#include "../../lib/random.h"

#define ROWS 64
#define TEXT (1ULL << 30) /* before and after this code: the range of a table */

static int device;
static uint32_t addrs[ROWS];
static uint16_t index_[ROWS];
static dtrace_unwind_rule_t rules[ROWS];

static uint64_t any(void)
{
	static uint64_t seed = RANDOM_SEED;

	return random_next(&seed);
}

static int load(uint32_t nrows, uint32_t nrules, uint32_t word)
{
	dtrace_unwind_load_t l = {
		(uintptr_t)addrs, (uintptr_t)index_, (uintptr_t)rules, nrows, nrules, word, 0};

	return ioctl(device, DTRACEFTIOC_UNWIND_TABLE, &l);
}

static int tell(int pid, const dtrace_unwind_mapping_t *maps, uint32_t n)
{
	dtrace_unwind_process_t p = {pid, n, (uintptr_t)maps};

	return ioctl(device, DTRACEFTIOC_UNWIND_MAPS, &p);
}

static void table_any(void)
{
	for (int i = 0; i < ROWS; i++) {
		addrs[i] = (uint32_t)(i * (2 * TEXT / ROWS));
		index_[i] = (uint16_t)(any() % ROWS);
		rules[i] = (dtrace_unwind_rule_t){
			.dtur_kind = any() % DTRACE_UNWIND_NKINDS,
			.dtur_base = any() % DTRACE_UNWIND_NREGS,
			.dtur_ra = any() % 3 ? 0 : any() % 17,
			.dtur_arg = (uint8_t)any(),
			.dtur_cfa = (int32_t)(any() % 4 ? any() % 512 : any()),
			.dtur_fromfp = any() % 64};
		for (int j = 0; j < (int)DTRACE_UNWIND_NSAVED; j++)
			rules[i].dtur_saved[j] = (int16_t)any();
	}
	if (any() % 8 == 0)
		addrs[any() % ROWS] = (uint32_t)any();
	if (any() % 8 == 0)
		memset(&rules[any() % ROWS], (int)any(), sizeof(rules[0]));
}

/* Pass a table and a mapping around this code, right or wrong. */
static void load_random(unsigned int *taken, unsigned int *refused)
{
	uint64_t here = (uintptr_t)load_random & ~0xfffULL;
	dtrace_unwind_mapping_t map[2] = {{here - TEXT, here + TEXT, here - TEXT, 0, 0},
					  {here + TEXT, here + 2 * TEXT, any(), -1, 0}};
	int id;

	table_any();
	id = load(ROWS, ROWS, any() % 4 ? sizeof(long) : 12 - sizeof(long));
	map[0].dtum_table = id;
	if (any() % 8 == 0)
		memset(&map[any() % 2], (int)any(), sizeof(map[0]));
	if (id >= 0 && tell(getpid(), map, 2) == 0)
		++*taken;
	else
		++*refused;
}

static int torture(int seconds)
{
	unsigned int taken = 0, refused = 0;
	time_t end = time(NULL) + seconds;
	char sum = 0;

	while (time(NULL) < end) {
		load_random(&taken, &refused);
		for (int i = 0; i < 20000; i++) /* run, so that stacks are recorded */
			sum += (char)any();
		if (any() % 64 == 0) {
			close(device);
			device = open("/dev/dtrace/fasttrap", O_RDWR);
		}
	}
	printf("taken %s, refused %s\n", taken > 0 ? "some" : "none",
	       refused > 0 ? "some" : "none");
	return sum == 0 && taken == 0;
}

static void say(const char *what, int result)
{
	printf("%s: %s\n", what, result >= 0 ? "taken" : strerrorname_np(errno));
}

static void check_tables(void)
{
	dtrace_unwind_load_t nowhere = {4096, 4096, 4096, 1, 1, 8, 0}, padded = nowhere;

	rules[0] = (dtrace_unwind_rule_t){.dtur_kind = DTRACE_UNWIND_CFA, .dtur_base = 7};
	addrs[1] = 16;
	say("a table", load(2, 1, 8));
	say("of 32 bits", load(2, 1, 4));
	say("without rows", load(0, 1, 8));
	say("too many rows", load(DTRACE_UNWIND_MAXROWS + 1, 1, 8));
	say("too many rules", load(1, DTRACE_UNWIND_MAXRULES + 1, 8));
	say("not ours to read", ioctl(device, DTRACEFTIOC_UNWIND_TABLE, &nowhere));
	index_[1] = 1;
	say("a rule that there is not", load(2, 1, 8));
	index_[1] = 0;
	addrs[1] = 0;
	say("the same address twice", load(2, 1, 8));
	rules[0].dtur_kind = DTRACE_UNWIND_NKINDS;
	say("a kind that there is not", load(1, 1, 8));
	rules[0] = (dtrace_unwind_rule_t){.dtur_kind = DTRACE_UNWIND_CFA, .dtur_base = 8};
	say("a register of 64 bits", load(1, 1, 8));
	say("that 32 bits have not", load(1, 1, 4));
	rules[0].dtur_base = 7;
	say("of 16 bits", load(1, 1, 2));
	padded.dtul_pad = 1;
	say("padded", ioctl(device, DTRACEFTIOC_UNWIND_TABLE, &padded));
}

static void check_maps(void)
{
	dtrace_unwind_mapping_t good = {4096, 8192, 0, 0, 0}, map = good;
	dtrace_unwind_mapping_t two[2] = {{8192, 12288, 0, 0, 0}, good};

	say("maps", tell(getpid(), &map, 1));
	map.dtum_table = 77;
	say("a table that there is not", tell(getpid(), &map, 1));
	map.dtum_table = -2;
	say("less than none", tell(getpid(), &map, 1));
	map = good;
	map.dtum_end = 4096;
	say("empty", tell(getpid(), &map, 1));
	map = good;
	map.dtum_pad = 1;
	say("padded", tell(getpid(), &map, 1));
	say("out of order", tell(getpid(), two, 2));
	say("too many", tell(getpid(), &good, DTRACE_UNWIND_MAXMAPS + 1));
	say("not ours to read", tell(getpid(), (void *)4096, 1));
	say("of nobody", tell(1 << 30, &good, 1));
	say("forgotten", tell(getpid(), NULL, 0));
	say("forgotten again", tell(getpid(), NULL, 0));
}

/* Load and map tables of nrows rows, after the n in maps, until there is no memory. Return n. */
static int fill(dtrace_unwind_load_t l, uint32_t nrows, dtrace_unwind_mapping_t *maps, int n)
{
	int id;

	l.dtul_nrows = nrows;
	while (n < 256 && (id = ioctl(device, DTRACEFTIOC_UNWIND_TABLE, &l)) >= 0) {
		maps[n] = (dtrace_unwind_mapping_t){4096ULL * n, 4096ULL * n + 1, 0, id, 0};
		if (tell(getpid(), maps, n + 1) != 0)
			break;
		n++;
	}
	return n;
}

/*
 * No memory is left, and no process has one of the tables, of 140 KB, any more. Without it there
 * would be memory for mappings of 128 KB; but these mappings use the table.
 */
static void check_kept(const dtrace_unwind_load_t *l, dtrace_unwind_mapping_t *maps, int n)
{
	static dtrace_unwind_mapping_t many[DTRACE_UNWIND_MAXMAPS];
	int before = fill(*l, 24000, maps, n), id;

	n = fill(*l, 1500, maps, before);
	id = maps[before - 1].dtum_table;
	maps[before - 1].dtum_table = -1;
	tell(getpid(), NULL, 0);
	say("a table less", tell(getpid(), maps, n));
	for (uint32_t i = 0; i < DTRACE_UNWIND_MAXMAPS; i++)
		many[i] = (dtrace_unwind_mapping_t){4096ULL * i, 4096ULL * i + 1, 0, id, 0};
	say("many maps of that table", tell(getpid(), many, DTRACE_UNWIND_MAXMAPS));
	maps[0].dtum_table = id;
	say("few of it", tell(getpid(), maps, 1));
}

/* Load and map tables of 3 MB, up to the limit. */
static void check_room(void)
{
	enum { MANY = 1 << 19 };
	uint32_t *many = malloc(MANY * sizeof(*many));
	uint16_t *index = calloc(MANY, sizeof(*index));
	dtrace_unwind_load_t l = {
		(uintptr_t)many, (uintptr_t)index, (uintptr_t)rules, MANY, 1, 8, 0};
	dtrace_unwind_mapping_t maps[256];
	int id = 0, n = 0;

	rules[0] = (dtrace_unwind_rule_t){.dtur_kind = DTRACE_UNWIND_CFA, .dtur_base = 7};
	for (uint32_t i = 0; i < MANY; i++)
		many[i] = i;
	for (; n < 256 && (id = ioctl(device, DTRACEFTIOC_UNWIND_TABLE, &l)) >= 0; n++) {
		maps[n] = (dtrace_unwind_mapping_t){4096ULL * n, 4096ULL * n + 1, 0, id, 0};
		if (tell(getpid(), maps, n + 1) != 0)
			break;
	}
	say("no more memory", id);
	printf("tables: %s\n",
	       n > 60 && n < 90 ? "as many as there is memory for" : "too few or many");
	check_kept(&l, maps, n);
	tell(getpid(), NULL, 0);
	say("when nobody has them any more", ioctl(device, DTRACEFTIOC_UNWIND_TABLE, &l));
}

/* Return how many processes need tables, since the last time or since the device was opened. */
static unsigned int missing(int fd)
{
	dtrace_unwind_missing_t m = {0};

	return ioctl(fd, DTRACEFTIOC_UNWIND_MISSING, &m) ? 1000 + (unsigned int)errno : m.dtmi_n;
}

/* Compare what root and a user learn of a process, each by a device that is asked from now on. */
static void compare_missing(uid_t uid)
{
	int others = open("/dev/dtrace/fasttrap", O_RDWR);
	unsigned int n;

	missing(device);
	missing(others);
	puts("ready");
	fflush(stdout);
	do {
		usleep(10000);
		n = missing(device);
	} while (!n);
	printf("root learns of %u\n", n);
	if (setegid(uid) != 0 || seteuid(uid) != 0)
		exit(1);
	printf("the user learns of %u\n", missing(others));
}

int main(int argc, char **argv)
{
	device = open("/dev/dtrace/fasttrap", O_RDWR);
	if (argc < 2 || device == -1) {
		perror("/dev/dtrace/fasttrap");
		return 1;
	}
	if (strcmp(argv[1], "check") == 0) {
		check_tables();
		check_maps();
		check_room();
		return 0;
	}
	if (strcmp(argv[1], "other") == 0 && argc == 3) {
		say("maps of another", tell(atoi(argv[2]), NULL, 0));
		return 0;
	}
	if (strcmp(argv[1], "missing") == 0 && argc == 3) {
		compare_missing((uid_t)atoi(argv[2]));
		return 0;
	}
	return torture(atoi(argv[1]));
}
