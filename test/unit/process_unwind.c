/* SPDX-License-Identifier: MIT */
/*
 * process_unwind.c - which unwind tables a session gives the world, and when: the world is
 * pretended, and keeps what it is given. Arguments: two programs, of which the first is linked to
 * a fixed address.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "process_world.h"
#include "../../libdtrace/now.h"
#include "../../libdtrace/process/memory.h"
#include "../../libdtrace/process/process.h"
#include "../../libdtrace/symbols/unwind.h"

#define TABLES 64
#define MS     1000000ULL

static const char *first, *second; /* programs */

/* What the world has. */
static struct {
	struct {
		uint32_t *addrs;
		uint32_t nrows;
	} tables[TABLES];
	int ntables;
	dtrace_unwind_mapping_t maps[TABLES];
	uint32_t nmaps;
	pid_t pid;     /* whose they are */
	int asked;     /* requests that gave mappings */
	int error;     /* of the next such request; 0: it succeeds */
	pid_t missing; /* a process that has no tables; 0: none */
} had;

static int world_table(const dtrace_unwind_load_t *load)
{
	const size_t size = load->dtul_nrows * sizeof(uint32_t);

	assert_in_range(had.ntables, 0, TABLES - 1);
	had.tables[had.ntables].addrs = malloc(size);
	memcpy(had.tables[had.ntables].addrs, (void *)(uintptr_t)load->dtul_addrs, size);
	had.tables[had.ntables].nrows = load->dtul_nrows;
	return had.ntables++;
}

static int world_maps(const dtrace_unwind_process_t *process)
{
	had.asked++;
	if (had.error) {
		errno = had.error;
		had.error = 0;
		return -1;
	}
	assert_in_range(process->dtup_nmaps, 1, TABLES);
	had.pid = process->dtup_pid;
	had.nmaps = process->dtup_nmaps;
	memcpy(had.maps, (void *)(uintptr_t)process->dtup_maps, had.nmaps * sizeof(had.maps[0]));
	return 0;
}

static int world_unwind(unsigned long request, void *arg)
{
	dtrace_unwind_missing_t *missing = arg;

	switch (request) {
	case DTRACEFTIOC_UNWIND_TABLE:
		return world_table(arg);
	case DTRACEFTIOC_UNWIND_MAPS:
		return world_maps(arg);
	case DTRACEFTIOC_UNWIND_MISSING:
		missing->dtmi_n = had.missing != 0;
		missing->dtmi_pids[0] = had.missing;
		return 0;
	default:
		errno = ENOTTY;
		return -1;
	}
}

static int setup(void **state)
{
	memset(&had, 0, sizeof(had));
	if (world_setup(state) != 0)
		return -1;
	world.unwind = world_unwind;
	return 0;
}

static int teardown(void **state)
{
	for (int i = 0; i < had.ntables; i++)
		free(had.tables[i].addrs);
	return world_teardown(state);
}

/* Begin to trace with a program. */
static void go(const char *text)
{
	struct dt_world *saved = dtp->world;

	dtp->world = NULL; /* which has no probes */
	if (!dtrace_program_strcompile(dtp, text, DTRACE_PROBESPEC_NAME,
				       DTRACE_C_NOLIBS | DTRACE_C_ZDEFS, 0, NULL))
		fail_msg("%s: %s", text, dtrace_errmsg(dtp, dtrace_errno(dtp)));
	dtp->world = saved;
	dt_unwind_go(dtp);
}

/* Return whether the world can find the start of a function of its process. */
static bool knows(uint64_t function)
{
	for (uint32_t i = 0; i < had.nmaps; i++) {
		const dtrace_unwind_mapping_t *map = &had.maps[i];

		if (function < map->dtum_start || function >= map->dtum_end ||
		    map->dtum_table == -1)
			continue;
		for (uint32_t row = 0; row < had.tables[map->dtum_table].nrows; row++)
			if (had.tables[map->dtum_table].addrs[row] == function - map->dtum_bias)
				return true;
	}
	return false;
}

/*
 * Wait until there is work, and do it. Set the least and the most time until there is work again.
 */
static void work(uint64_t *least, uint64_t *most)
{
	const uint64_t due = dt_unwind_due(dtp->unwind);
	uint64_t before;

	while ((before = dt_now()) < due)
		nanosleep(&(struct timespec){.tv_nsec = (long)(due - before)}, NULL);
	dt_unwind_work(dtp);
	*least = dt_unwind_due(dtp->unwind) - dt_now();
	*most = dt_unwind_due(dtp->unwind) - before;
}

static void programs_that_walk_stacks_need_tables(void **state)
{
	static const char *const walk[] = {
		"BEGIN { ustack(); }",
		"BEGIN { jstack(); }",
		"BEGIN { n = 1; trace(ucaller); }",
		"BEGIN { n = 1; } BEGIN /ustackdepth > 3/ { n = 2; }",
		"BEGIN { @[ustack(3)] = count(); }",
	};
	static const char *const other[] = {
		"BEGIN { stack(); }",
		"BEGIN { trace(stackdepth); }",
		"BEGIN { trace(caller); usym(uregs[0]); }",
	};

	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
		go(other[i]);
		assert_null(dtp->unwind);
	}
	for (size_t i = 0; i < sizeof(walk) / sizeof(walk[0]); i++) {
		teardown(state);
		assert_int_equal(setup(state), 0);
		go(walk[i]);
		assert_non_null(dtp->unwind);
	}
	teardown(state);
	assert_int_equal(setup(state), 0);
	assert_int_equal(dtrace_setopt(dtp, "unwind", "fp"), 0);
	go(walk[0]);
	assert_null(dtp->unwind);
	assert_int_equal(dt_unwind_due(dtp->unwind), UINT64_MAX);
}

/* The processes of the session are known when tracing begins, wherever their code is. */
static void tables_fit_the_mappings(void **state)
{
	const char *const programs[] = {first, second};

	for (int i = 0; i < 2; i++) {
		pid_t pid = world_execute(programs[i]);
		struct ps_prochandle proc = {.pid = pid};
		uint64_t entry;

		teardown(state);
		assert_int_equal(setup(state), 0);
		dtp->procs = &proc;
		go("BEGIN { ustack(); }");
		dtp->procs = NULL;
		assert_int_equal(had.asked, 1);
		assert_int_equal(had.pid, pid);
		assert_true(dt_auxv(pid, AT_ENTRY, &entry));
		assert_true(knows(entry));
		assert_false(knows(entry + 1));
		world_kill(pid);
	}
}

/* A table is made once for each file, which is not only its path. */
static void files_have_one_table_each(void **state)
{
	char path[] = "/tmp/process_unwind.XXXXXX", other[sizeof(path) + 4];
	char command[1024];
	int fd = mkstemp(path), tables;
	pid_t pids[3];

	(void)state;
	assert_int_not_equal(fd, -1);
	close(fd);
	snprintf(other, sizeof(other), "%s.new", path);
	snprintf(command, sizeof(command), "cp %s %s && chmod 700 %s && cp %s %s && chmod 700 %s",
		 first, path, path, second, other, other);
	assert_int_equal(system(command), 0);
	go("BEGIN { ustack(); }");
	pids[0] = world_execute(path);
	dt_unwind_know(dtp, pids[0]);
	tables = had.ntables;
	assert_true(tables > 0);
	pids[1] = world_execute(path);
	dt_unwind_know(dtp, pids[1]);
	assert_int_equal(had.pid, pids[1]);
	assert_int_equal(had.ntables, tables);
	assert_int_equal(rename(other, path), 0);
	pids[2] = world_execute(path);
	dt_unwind_know(dtp, pids[2]);
	assert_int_equal(had.pid, pids[2]);
	assert_int_equal(had.ntables, tables + 1);
	for (int i = 0; i < 3; i++)
		world_kill(pids[i]);
	unlink(path);
}

/* If the world has dropped tables, it is given them again, but not if it has no space. */
static void dropped_tables_are_given_again(void **state)
{
	pid_t pid = world_execute(first);
	int tables;

	(void)state;
	go("BEGIN { ustack(); }");
	had.error = ENOSPC;
	dt_unwind_know(dtp, pid);
	assert_int_equal(had.asked, 1);
	tables = had.ntables;
	had.error = ENOENT;
	dt_unwind_know(dtp, pid);
	assert_int_equal(had.asked, 3);
	assert_int_equal(had.ntables, 2 * tables);
	assert_int_equal(had.pid, pid);
	world_kill(pid);
	dt_unwind_know(dtp, pid); /* it maps nothing any more */
	assert_int_equal(had.asked, 3);
}

/* The session asks ever less often as long as the world misses nothing new. */
static void the_world_says_what_it_misses(void **state)
{
	static const uint64_t periods[] = {20 * MS, 40 * MS, 80 * MS, 160 * MS, 250 * MS, 250 * MS};
	pid_t pid = world_execute(first);
	uint64_t least, most;

	(void)state;
	go("BEGIN { ustack(); }");
	for (size_t i = 0; i < sizeof(periods) / sizeof(periods[0]); i++) {
		work(&least, &most);
		assert_in_range(periods[i], least, most);
	}
	assert_int_equal(had.asked, 0);
	had.missing = pid;
	work(&least, &most);
	assert_in_range(10 * MS, least, most);
	assert_int_equal(had.asked, 1);
	assert_int_equal(had.pid, pid);
	work(&least, &most); /* the same as before */
	assert_in_range(20 * MS, least, most);
	assert_int_equal(had.asked, 1);
	world_kill(pid);
}

/* A process that maps more code than before has news. */
static void mappings_that_come_are_told(void **state)
{
	const int fd = open(first, O_RDONLY | O_CLOEXEC);
	uint64_t least, most;
	uint32_t nmaps;
	void *code;

	(void)state;
	go("BEGIN { ustack(); }");
	dt_unwind_know(dtp, getpid());
	assert_int_equal(had.asked, 1);
	nmaps = had.nmaps;
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_true(code != MAP_FAILED);
	had.missing = getpid();
	work(&least, &most);
	assert_int_equal(had.asked, 2);
	assert_int_equal(had.nmaps, nmaps + 1);
	munmap(code, 4096);
	close(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(int argc, char *argv[])
{
	const struct CMUnitTest tests[] = {
		TEST(programs_that_walk_stacks_need_tables),
		TEST(tables_fit_the_mappings),
		TEST(files_have_one_table_each),
		TEST(dropped_tables_are_given_again),
		TEST(the_world_says_what_it_misses),
		TEST(mappings_that_come_are_told),
	};

	if (argc < 3)
		return 1;
	first = argv[1];
	second = argv[2];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
