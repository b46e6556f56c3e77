/* SPDX-License-Identifier: MIT */
/*
 * consume_aggregate.c - entries of all CPUs and clauses are added up by key, sorted, truncated,
 * normalised, joined and printed.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include "consume_fake.h"

#define STRKEY 16 /* bytes of a string key */

static dt_difo_t strdifo = {.rtype = {.dtdt_kind = DIF_TYPE_STRING}}, intdifo;
static dt_action_t stractions[] = {{.kind = DTRACEACT_DIFEXPR, .difo = &strdifo},
				   {.kind = DTRACEAGG_COUNT}};
static dt_action_t intactions[] = {{.kind = DTRACEACT_DIFEXPR, .difo = &intdifo},
				   {.kind = DTRACEAGG_SUM}};
static dt_aggvar_t vars[3] = {
	{.name = "a", .id = 1}, {.name = "b", .id = 2}, {.name = "c", .id = 3}};
static dt_aggvar_t *varlist[] = {&vars[0], &vars[1], &vars[2]};

/* An entry with a string key, and one with an integer key. */
struct strent {
	struct dtrace_aggrec hdr;
	char key[STRKEY];
	int64_t value;
};
struct intent {
	struct dtrace_aggrec hdr;
	int64_t key;
	int64_t value;
};

static void add_str(dtrace_aggid_t id, const char *key, int64_t value)
{
	struct strent ent = {{id, sizeof(ent)}, "", value};

	strncpy(ent.key, key, sizeof(ent.key));
	assert_int_equal(dt_aggs_add(dtp, 0, &ent, sizeof(ent)), 0);
}

static void add_int_on(unsigned int cpu, dtrace_aggid_t id, int64_t key, int64_t value)
{
	struct intent ent = {{id, sizeof(ent)}, key, value};

	assert_int_equal(dt_aggs_add(dtp, cpu, &ent, sizeof(ent)), 0);
}

static void add_int(dtrace_aggid_t id, int64_t key, int64_t value)
{
	add_int_on(0, id, key, value);
}

/* Describe aggregation id of a variable. */
static void describe(dtrace_aggid_t id, int var, dt_action_t *actions, dtrace_actkind_t func,
		     uint32_t keysize)
{
	dt_stmt_t *stmt = fake_stmt(DT_STMT_AGG, actions, 2);
	dtrace_recdesc_t recs[2] = {
		{.dtrd_action = DTRACEACT_DIFEXPR,
		 .dtrd_offset = 8,
		 .dtrd_size = keysize,
		 .dtrd_uarg = stmt->id},
		{.dtrd_action = func,
		 .dtrd_offset = 8 + keysize,
		 .dtrd_size = 8,
		 .dtrd_uarg = stmt->id},
	};

	stmt->aggs = &varlist[var];
	stmt->naggs = 1;
	fake_agg(id, recs, 2, 16 + keysize);
}

static void print_all(FILE *fp, void *arg)
{
	(void)arg;
	assert_int_equal(dtrace_aggregate_print(dtp, fp, NULL), 0);
	fflush(fp);
}

static void print_joined(FILE *fp, void *arg)
{
	dt_stmt_t stmt = {.kind = DT_STMT_PRINTA, .aggs = varlist, .naggs = 2, .format = arg};
	struct dt_consumer con = {.fp = fp};

	assert_int_equal(dt_printa(dtp, &con, &stmt), 0);
}

static void entries_add_up_by_key(void **state)
{
	(void)state;
	add_str(1, "bash", 2);
	add_str(1, "cat", 1);
	add_str(1, "bash", 3);
	assert_string_equal(
		captured(print_all, NULL),
		"  cat                                                               1\n"
		"  bash                                                              5\n");
}

static void integer_keys_have_their_own_columns(void **state)
{
	(void)state;
	add_int(2, -7, 100);
	assert_string_equal(captured(print_all, NULL), "               -7              100\n");
}

static void values_sort_first_and_keys_break_ties(void **state)
{
	(void)state;
	add_int(2, 2, 5);
	add_int(2, 1, 5);
	add_int(2, 3, -5);
	assert_string_equal(captured(print_all, NULL), "                3               -5\n"
						       "                1                5\n"
						       "                2                5\n");
	dtrace_setopt(dtp, "aggsortkey", NULL);
	dtrace_setopt(dtp, "aggsortrev", NULL);
	assert_string_equal(captured(print_all, NULL), "                3               -5\n"
						       "                2                5\n"
						       "                1                5\n");
}

static void min_and_max_keep_the_extremes(void **state)
{
	(void)state;
	add_int(3, 0, 5);
	add_int(3, 0, -2);
	add_int(3, 0, 9);
	assert_string_equal(captured(print_all, NULL), "                0               -2\n");
	dt_agg_clear(dtp, &vars[2]);
	assert_string_equal(captured(print_all, NULL), "                0                0\n");
	add_int(3, 0, 4);
	assert_string_equal(captured(print_all, NULL), "                0                4\n");
	add_int(3, 0, 7);
	assert_string_equal(captured(print_all, NULL), "                0                4\n");
}

static void trunc_keeps_the_largest_or_smallest(void **state)
{
	(void)state;
	for (int i = 1; i <= 5; i++)
		add_int(2, i, 10 * i);
	assert_int_equal(dt_agg_trunc(dtp, &vars[1], 2), 0);
	assert_string_equal(
		captured(print_all, NULL),
		"                4               40\n                5               50\n");
	assert_int_equal(dt_agg_trunc(dtp, &vars[1], -1), 0);
	assert_string_equal(captured(print_all, NULL), "                4               40\n");
	assert_int_equal(dt_agg_trunc(dtp, &vars[1], 0), 0);
	add_int(2, 9, 1);
	assert_string_equal(captured(print_all, NULL), "                9                1\n");
}

static void normalization_divides_until_it_is_undone(void **state)
{
	(void)state;
	add_int(2, 1, 100);
	dt_agg_normalize(dtp, &vars[1], 10);
	assert_string_equal(captured(print_all, NULL), "                1               10\n");
	dt_agg_normalize(dtp, &vars[1], 1);
	assert_string_equal(captured(print_all, NULL), "                1              100\n");
}

static void joined_rows_show_zero_for_what_is_missing(void **state)
{
	dt_conv_t convs[] = {
		{.text = "", .conv = "s", .width = 4, .prec = -1},
		{.text = " ",
		 .textlen = 1,
		 .conv = "d",
		 .flags = DT_CONV_AGG,
		 .width = -1,
		 .prec = -1},
		{.text = " ",
		 .textlen = 1,
		 .conv = "u",
		 .flags = DT_CONV_AGG,
		 .width = 3,
		 .prec = -1},
		{.text = "\n", .textlen = 1, .width = -1, .prec = -1},
	};
	struct dt_format format = {.convs = convs, .nconvs = 4};

	(void)state;
	add_str(1, "x", 3);
	add_str(4, "x", 30);
	add_str(4, "y", 2);
	assert_string_equal(captured(print_joined, &format), "   y 0   2\n   x 3  30\n");
	assert_string_equal(captured(print_joined, NULL),
			    "\n  y                                                                 "
			    "0                2\n"
			    "  x                                                                 3 "
			    "              30\n");
	assert_true(dt_agg_printed(dtp, &vars[0]));
	assert_string_equal(captured(print_all, NULL), "");
}

static int collect(const dtrace_aggdata_t *agg, void *arg)
{
	strcat(arg, agg->dtada_name);
	return strcmp(agg->dtada_name, "a") == 0 ? DTRACE_AGGWALK_REMOVE : DTRACE_AGGWALK_NEXT;
}

static void walks_may_remove(void **state)
{
	char seen[16] = "";

	(void)state;
	add_str(1, "x", 3);
	add_int(2, 1, 1);
	assert_int_equal(dtrace_aggregate_walk_keyvarsorted(dtp, collect, seen), 0);
	assert_string_equal(seen, "ab");
	*seen = '\0';
	assert_int_equal(dtrace_aggregate_walk(dtp, collect, seen), 0);
	assert_string_equal(seen, "b");
}

/* Write the value of each CPU, or - if it has none. */
static int collect_cpus(const dtrace_aggdata_t *agg, void *arg)
{
	char *to = arg;

	to += sprintf(to, "%s:", agg->dtada_name);
	for (unsigned int cpu = 0; cpu < agg->dtada_ncpus; cpu++)
		if (agg->dtada_percpu[cpu])
			to += sprintf(to, " %lld", *(const long long *)agg->dtada_percpu[cpu]);
		else
			to += sprintf(to, " -");
	return DTRACE_AGGWALK_NEXT;
}

static void values_of_each_cpu_are_kept_if_wanted(void **state)
{
	char seen[64];

	(void)state;
	add_int_on(1, 2, 7, 5);
	assert_int_equal(dtrace_aggregate_walk(dtp, collect_cpus, seen), 0);
	assert_string_equal(seen, "b:");
	assert_int_equal(dtrace_setopt(dtp, "aggpercpu", NULL), 0);
	add_int_on(1, 3, 1, 20);
	add_int_on(1, 3, 1, -3);
	assert_int_equal(dt_agg_trunc(dtp, &vars[1], 0), 0);
	assert_int_equal(dtrace_aggregate_walk(dtp, collect_cpus, seen), 0);
	assert_string_equal(seen, "c: - -3");
	add_int_on(0, 3, 1, 4);
	assert_int_equal(dtrace_aggregate_walk(dtp, collect_cpus, seen), 0);
	assert_string_equal(seen, "c: 4 -3");
	assert_string_equal(captured(print_all, NULL), "                1               -3\n");
	dtrace_aggregate_clear(dtp);
	assert_int_equal(dtrace_aggregate_walk(dtp, collect_cpus, seen), 0);
	assert_string_equal(seen, "c:");
	add_int_on(0, 3, 1, 9);
	assert_int_equal(dtrace_aggregate_walk(dtp, collect_cpus, seen), 0);
	assert_string_equal(seen, "c: 9 -");
	/* A row without a value has a copy of another row's entry. */
	add_str(1, "x", 3);
	add_str(4, "y", 2);
	assert_string_equal(captured(print_joined, NULL),
			    "\n  y                                                                 "
			    "0                2\n"
			    "  x                                                                 3 "
			    "               0\n");
}

static void many_keys_are_all_kept(void **state)
{
	size_t n;

	(void)state;
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 5000; i++)
			add_int(2, i, 1);
	free(dt_aggs_sorted(dtp, &vars[1], &n));
	assert_int_equal(n, 5000);
}

/* An entry whose keys are two strings and an integer, as long as they are. */
static void strings_have_their_own_lengths(void **state)
{
	static dt_action_t actions[] = {{.kind = DTRACEACT_DIFEXPR, .difo = &strdifo},
					{.kind = DTRACEACT_DIFEXPR, .difo = &strdifo},
					{.kind = DTRACEACT_DIFEXPR, .difo = &intdifo},
					{.kind = DTRACEAGG_SUM}};
	dt_stmt_t *stmt = fake_stmt(DT_STMT_AGG, actions, 4);
	const dtrace_recdesc_t recs[4] = {
		{.dtrd_action = DTRACEACT_DIFEXPR,
		 .dtrd_offset = 8,
		 .dtrd_size = 20,
		 .dtrd_flags = DTRACE_REC_STRING,
		 .dtrd_uarg = stmt->id},
		{.dtrd_action = DTRACEACT_DIFEXPR,
		 .dtrd_offset = 32,
		 .dtrd_size = 20,
		 .dtrd_flags = DTRACE_REC_STRING,
		 .dtrd_uarg = stmt->id},
		{.dtrd_action = DTRACEACT_DIFEXPR,
		 .dtrd_offset = 56,
		 .dtrd_size = 8,
		 .dtrd_uarg = stmt->id},
		{.dtrd_action = DTRACEAGG_SUM,
		 .dtrd_offset = 64,
		 .dtrd_size = 8,
		 .dtrd_uarg = stmt->id},
	};
	static const struct {
		struct dtrace_aggrec hdr;
		char keys[24];
		int64_t number, value;
	} entry = {{7, sizeof(entry)}, "12345678\0\0\0\0\0\0\0\0b", 5, 3};
	char damaged[sizeof(entry)];
	dt_aggentry_t **list;
	size_t n;

	(void)state;
	stmt->aggs = &varlist[2];
	stmt->naggs = 1;
	fake_agg(7, recs, 4, 72);
	assert_int_equal(dt_aggs_add(dtp, 0, &entry, sizeof(entry)), 0);
	assert_int_equal(dt_aggs_add(dtp, 0, &entry, sizeof(entry)), 0);
	list = dt_aggs_sorted(dtp, &vars[2], &n);
	assert_int_equal(n, 1);
	assert_string_equal(list[0]->data + 8, "12345678");
	assert_string_equal(list[0]->data + 32, "b");
	assert_int_equal(*(const int64_t *)(const void *)(list[0]->data + 56), 5);
	assert_int_equal(*(const int64_t *)(const void *)(list[0]->data + 64), 6);
	free(list);
	/* strings without an end; then an entry without its value */
	for (size_t at = sizeof(entry.hdr); at < sizeof(entry.hdr) + sizeof("12345678") - 1 + 8 + 2;
	     at++) {
		memcpy(damaged, &entry, sizeof(entry));
		memset(damaged + at, 'x', sizeof(entry) - at);
		assert_int_equal(dt_aggs_add(dtp, 0, damaged, sizeof(damaged)), -1);
		assert_int_equal(dtrace_errno(dtp), EDT_BADDATA);
	}
	memcpy(damaged, &entry, sizeof(entry));
	((struct dtrace_aggrec *)(void *)damaged)->dtar_size -= 8;
	assert_int_equal(dt_aggs_add(dtp, 0, damaged, sizeof(entry) - 8), -1);
	/* a string that is shorter than the entry allows for: what follows it would be misread */
	memcpy(damaged, &entry, sizeof(entry));
	damaged[sizeof(entry.hdr) + 2] = '\0';
	assert_int_equal(dt_aggs_add(dtp, 0, damaged, sizeof(damaged)), -1);
	assert_int_equal(dtrace_errno(dtp), EDT_BADDATA);
}

static void damaged_snapshots_are_refused(void **state)
{
	struct intent ent = {{2, sizeof(ent)}, 1, 1};

	(void)state;
	ent.hdr.dtar_size = 16;
	assert_int_equal(dt_aggs_add(dtp, 0, &ent, sizeof(ent)), -1);
	ent.hdr.dtar_size = 4096;
	assert_int_equal(dt_aggs_add(dtp, 0, &ent, sizeof(ent)), -1);
	ent.hdr.dtar_size = sizeof(ent);
	ent.hdr.dtar_id = 15;
	assert_int_equal(dt_aggs_add(dtp, 0, &ent, sizeof(ent)), -1);
	assert_int_equal(dtrace_errno(dtp), EDT_BADDATA);
}

/* ---- keys that are symbols ---- */

/* An entry whose key is a symbol: of a process, or of the kernel without words[0]. */
struct syment {
	struct dtrace_aggrec hdr;
	uint64_t words[2];
	int64_t value;
};

/* Describe an aggregation of the first variable whose key is of that kind. */
static void describe_symbol(dtrace_aggid_t id, dtrace_actkind_t kind)
{
	bool user = kind >= DTRACEACT_USYM && kind <= DTRACEACT_UADDR;
	dt_stmt_t *stmt = fake_stmt(DT_STMT_AGG, intactions, 2);
	dtrace_recdesc_t recs[2] = {
		{.dtrd_action = kind,
		 .dtrd_offset = user ? 8 : 16,
		 .dtrd_size = user ? 16 : 8,
		 .dtrd_uarg = stmt->id},
		{.dtrd_action = DTRACEAGG_SUM,
		 .dtrd_offset = 24,
		 .dtrd_size = 8,
		 .dtrd_uarg = stmt->id},
	};

	stmt->aggs = &varlist[0];
	stmt->naggs = 1;
	fake_agg(id, recs, 2, sizeof(struct syment));
}

static void add_symbol(dtrace_aggid_t id, pid_t pid, uint64_t addr, int64_t value)
{
	struct syment ent = {{id, sizeof(ent)}, {pid, addr}, value};

	assert_int_equal(dt_aggs_add(dtp, 0, &ent, sizeof(ent)), 0);
}

static void kernel_symbols_are(const char *text)
{
	char path[] = "/tmp/kallsyms.XXXXXX";
	int fd = mkstemp(path);

	assert_int_not_equal(fd, -1);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(dtrace_setopt(dtp, "kallsyms", path), 0);
	assert_non_null(dt_kernel_symbols_why(dtp));
	unlink(path);
}

/* Return the row that print_all prints of key and value. */
static const char *row(const char *key, int value)
{
	static char rows[4][128];
	static int n;
	char *text = rows[n++ % 4];

	snprintf(text, sizeof(rows[0]), "  %-50s %16d\n", key, value);
	return text;
}

static void rows_are(const char *first, const char *second)
{
	char text[256];

	snprintf(text, sizeof(text), "%s%s", first, second);
	assert_string_equal(captured(print_all, NULL), text);
}

static void symbols_of_the_kernel_add_up_by_name(void **state)
{
	(void)state;
	kernel_symbols_are("ffffffff81000000 T one\nffffffff81000100 T two\n"
			   "ffffffffc0000000 t three\t[mod]\nffffffffc0001000 t four\t[mod]\n");
	describe_symbol(5, DTRACEACT_SYM);
	add_symbol(5, 0, 0xffffffff81000010, 1);
	add_symbol(5, 0, 0xffffffff81000104, 10);
	add_symbol(5, 0, 0xffffffff81000020, 1);
	rows_are(row("vmlinux`one", 2), row("vmlinux`two", 10));
	assert_int_equal(dt_agg_trunc(dtp, &vars[0], 1), 0);
	rows_are(row("vmlinux`two", 10), "");
	add_symbol(5, 0, 0xffffffff81000000, 4);
	rows_are(row("vmlinux`one", 4), row("vmlinux`two", 10));
}

static void modules_add_up_by_name(void **state)
{
	(void)state;
	kernel_symbols_are("ffffffff81000000 T one\nffffffff81000100 T two\n"
			   "ffffffffc0000000 t three\t[mod]\nffffffffc0001000 t four\t[mod]\n");
	describe_symbol(5, DTRACEACT_MOD);
	for (uint64_t addr = 0xffffffff81000000; addr < 0xffffffff81000200; addr += 8)
		add_symbol(5, 0, addr, 1);
	add_symbol(5, 0, 0xffffffffc0000004, 100);
	add_symbol(5, 0, 0xffffffffc0001004, 100);
	rows_are(row("vmlinux", 64), row("mod", 200));
}

/* Two processes with one name are one key, and a process without a name keeps its address. */
static void symbols_of_processes_add_up_by_name(void **state)
{
	uint64_t here = (uintptr_t)symbols_of_processes_add_up_by_name;
	pid_t child = fork();

	(void)state;
	assert_int_not_equal(child, -1);
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* if the test fails */
		pause();
		_exit(0);
	}
	describe_symbol(5, DTRACEACT_USYM);
	add_symbol(5, getpid(), here, 1);
	add_symbol(5, child, here + 1, 2);
	add_symbol(5, getpid(), 0x10, 1);
	add_symbol(5, child, 0x10, 1);
	assert_string_equal(captured(print_all, NULL) + 2 * strlen(row("", 0)),
			    row("consume_aggregate`symbols_of_processes_add_up_by_name", 3));
	dt_agg_trunc(dtp, &vars[0], 0);
	describe_symbol(6, DTRACEACT_UMOD);
	add_symbol(6, getpid(), here, 1);
	add_symbol(6, child, (uintptr_t)row, 1);
	rows_are(row("consume_aggregate", 2), "");
	dt_agg_trunc(dtp, &vars[0], 0);
	describe_symbol(7, DTRACEACT_UADDR);
	add_symbol(7, getpid(), here, 1);
	add_symbol(7, getpid(), here + 1, 2);
	rows_are(row("consume_aggregate`symbols_of_processes_add_up_by_name", 1),
		 row("consume_aggregate`symbols_of_processes_add_up_by_name+0x1", 2));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* Without symbols there are addresses only. */
static void addresses_do_not_add_up(void **state)
{
	(void)state;
	kernel_symbols_are("ffffffff81000000 T one\n");
	assert_int_equal(dtrace_setopt(dtp, "stacksymbols", "disabled"), 0);
	describe_symbol(5, DTRACEACT_SYM);
	add_symbol(5, 0, 0xffffffff81000010, 1);
	add_symbol(5, 0, 0xffffffff81000020, 2);
	rows_are(row("0xffffffff81000010", 1), row("0xffffffff81000020", 2));
}

/* ---- snapshots ---- */

static struct {
	int calls, answer;
	uint64_t drops, total;
} lost;

static int lost_told(const dtrace_dropdata_t *data, void *arg)
{
	(void)arg;
	assert_int_equal(data->dtdda_kind, DTRACEDROP_AGGREGATION);
	assert_int_equal(data->dtdda_cpu, 0);
	lost.calls++;
	lost.drops = data->dtdda_drops;
	lost.total = data->dtdda_total;
	return lost.answer;
}

/* The buffer for snapshots grows until one fits. */
static void snapshots_of_any_size_are_taken(void **state)
{
	static struct intent ents[100];

	(void)state;
	for (int i = 0; i < 100; i++)
		ents[i] = (struct intent){{2, sizeof(ents[0])}, 7, 1};
	fake.snapshot = ents;
	fake.snapshot_size = sizeof(ents);
	fake.optget_value = 64;
	assert_int_equal(dtrace_aggregate_snap(dtp), -1);
	assert_int_equal(dtrace_errno(dtp), EDT_INACTIVE);
	dtp->active = true;
	assert_int_equal(dtrace_aggregate_snap(dtp), 0); /* there are no aggregations */
	assert_string_equal(captured(print_all, NULL), "");
	dtp->aggvars = &vars[1];
	assert_int_equal(dtrace_aggregate_snap(dtp), 0);
	assert_string_equal(captured(print_all, NULL), "                7              100\n");
	dtp->aggvars = NULL;
	dtp->active = false;
}

static void lost_entries_are_told(void **state)
{
	struct intent ent = {{2, sizeof(ent)}, 7, 1};

	(void)state;
	lost.calls = 0;
	lost.answer = DTRACE_HANDLE_OK;
	fake.snapshot = &ent;
	fake.snapshot_size = sizeof(ent);
	fake.optget_value = DTRACEOPT_UNSET;
	dtp->active = true;
	dtp->aggvars = &vars[1];
	dtrace_handle_drop(dtp, lost_told, NULL);
	assert_int_equal(dtrace_aggregate_snap(dtp), 0);
	assert_int_equal(lost.calls, 0);
	fake.snapshot_drops = 3;
	assert_int_equal(dtrace_aggregate_snap(dtp), 0);
	fake.snapshot_drops = 4;
	assert_int_equal(dtrace_aggregate_snap(dtp), 0);
	assert_int_equal(lost.calls, 2);
	assert_int_equal(lost.drops, 4);
	assert_int_equal(lost.total, 7);
	assert_string_equal(captured(print_all, NULL), "                7                3\n");
	/* A handler can make the snapshot fail; without a handler, drops do. */
	lost.answer = DTRACE_HANDLE_ABORT;
	assert_int_equal(dtrace_aggregate_snap(dtp), -1);
	assert_int_equal(dtrace_errno(dtp), EDT_HANDLER);
	dtrace_handle_drop(dtp, NULL, NULL);
	assert_int_equal(dtrace_aggregate_snap(dtp), -1);
	assert_int_equal(dtrace_errno(dtp), EDT_HANDLER);
	assert_string_equal(dtrace_errmsg(dtp, dtrace_errno(dtp)),
			    "data was lost: 4 aggregation drops on CPU 0");
	assert_int_equal(lost.calls, 3);
	dtp->aggvars = NULL;
	dtp->active = false;
}

/* What a walk has visited, as names of aggregations with their keys; and what visits return. */
static struct {
	char seen[128];
	int answer, after; /* after so many visits */
} walk;

static int visit(const dtrace_aggdata_t *agg, void *arg)
{
	size_t len = strlen(walk.seen);
	int64_t key;

	assert_ptr_equal(arg, &walk);
	memcpy(&key, agg->dtada_data + offsetof(struct intent, key), sizeof(key));
	snprintf(walk.seen + len, sizeof(walk.seen) - len, "%s%s%d", len ? " " : "",
		 agg->dtada_name, (int)key);
	return walk.after-- == 0 ? walk.answer : DTRACE_AGGWALK_NEXT;
}

static void walk_from(int answer, int after)
{
	walk.seen[0] = '\0';
	walk.answer = answer;
	walk.after = after;
}

static void add_four(void)
{
	add_int(2, 1, 30);
	add_int(2, 2, 10);
	add_int(3, 1, 20);
	add_int(3, 2, 40);
}

static void walks_have_an_order(void **state)
{
	static const struct {
		int (*walk)(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg);
		const char *seen;
	} walks[] = {
		{dtrace_aggregate_walk_sorted, "b2 b1 c1 c2"},
		{dtrace_aggregate_walk_keysorted, "c1 b1 b2 c2"},
		{dtrace_aggregate_walk_valsorted, "b2 c1 b1 c2"},
		{dtrace_aggregate_walk_keyvarsorted, "b1 b2 c1 c2"},
		{dtrace_aggregate_walk_valvarsorted, "b2 b1 c1 c2"},
		{dtrace_aggregate_walk_keyrevsorted, "c2 b2 b1 c1"},
		{dtrace_aggregate_walk_valrevsorted, "c2 b1 c1 b2"},
		{dtrace_aggregate_walk_keyvarrevsorted, "b2 b1 c2 c1"},
		{dtrace_aggregate_walk_valvarrevsorted, "b1 b2 c2 c1"},
	};

	(void)state;
	add_four();
	for (size_t i = 0; i < sizeof(walks) / sizeof(walks[0]); i++) {
		walk_from(DTRACE_AGGWALK_NEXT, 0);
		assert_int_equal(walks[i].walk(dtp, visit, &walk), 0);
		assert_string_equal(walk.seen, walks[i].seen);
	}
}

static void walks_do_what_a_visit_returns(void **state)
{
	(void)state;
	add_four();
	walk_from(DTRACE_AGGWALK_ABORT, 1);
	assert_int_equal(dtrace_aggregate_walk_valsorted(dtp, visit, &walk), 0);
	assert_string_equal(walk.seen, "b2 c1");
	walk_from(DTRACE_AGGWALK_CLEAR, 3);
	assert_int_equal(dtrace_aggregate_walk_valsorted(dtp, visit, &walk), 0);
	assert_string_equal(walk.seen, "b2 c1 b1 c2");
	walk_from(DTRACE_AGGWALK_REMOVE, 1);
	assert_int_equal(dtrace_aggregate_walk_valsorted(dtp, visit, &walk), 0);
	assert_string_equal(walk.seen, "c2 b2 c1 b1");
	walk_from(DTRACE_AGGWALK_ERROR, 1);
	assert_int_equal(dtrace_aggregate_walk_valsorted(dtp, visit, &walk), -1);
	assert_int_equal(dtrace_errno(dtp), EDT_HANDLER);
	assert_string_equal(walk.seen, "c2 c1");
	walk_from(DTRACE_AGGWALK_NEXT, 0);
	assert_int_equal(dtrace_aggregate_walk(dtp, visit, &walk), 0);
	assert_int_equal(strlen(walk.seen), strlen("c2 c1 b1"));
}

static int visit_row(const dtrace_aggdata_t **aggs, int naggs, void *arg)
{
	size_t len;

	assert_int_equal(naggs, 2);
	for (int i = 0; i < naggs; i++)
		if (aggs[i])
			visit(aggs[i], arg);
	len = strlen(walk.seen);
	snprintf(walk.seen + len, sizeof(walk.seen) - len, ";");
	return walk.after < 0 ? walk.answer : DTRACE_AGGWALK_NEXT;
}

static void joined_walks_have_what_is_there(void **state)
{
	static const char *const both[] = {"b", "c"}, *const unknown[] = {"b", "d"};

	(void)state;
	vars[1].next = &vars[2];
	dtp->aggvars = &vars[1];
	add_four();
	add_int(3, 3, 5);
	walk_from(DTRACE_AGGWALK_NEXT, 0);
	assert_int_equal(dtrace_aggregate_walk_joined(dtp, both, 2, visit_row, &walk), 0);
	assert_string_equal(walk.seen, "c3; b2 c2; b1 c1;");
	walk_from(DTRACE_AGGWALK_ABORT, 0);
	assert_int_equal(dtrace_aggregate_walk_joined(dtp, both, 2, visit_row, &walk), 0);
	assert_string_equal(walk.seen, "c3;");
	walk_from(DTRACE_AGGWALK_ERROR, 0);
	assert_int_equal(dtrace_aggregate_walk_joined(dtp, both, 2, visit_row, &walk), -1);
	assert_int_equal(dtrace_errno(dtp), EDT_HANDLER);
	assert_int_equal(dtrace_aggregate_walk_joined(dtp, both, 0, visit_row, &walk), 0);
	assert_int_equal(dtrace_aggregate_walk_joined(dtp, unknown, 2, visit_row, &walk), -1);
	assert_int_equal(dtrace_errno(dtp), EINVAL);
	assert_string_equal(dtrace_errmsg(dtp, EINVAL), "no such aggregation: @d");
	vars[1].next = NULL;
	dtp->aggvars = NULL;
}

static int setup(void **state)
{
	fake_setup(state);
	describe(1, 0, stractions, DTRACEAGG_COUNT, STRKEY);
	describe(2, 1, intactions, DTRACEAGG_SUM, 8);
	describe(3, 2, intactions, DTRACEAGG_MIN, 8);
	describe(4, 1, stractions, DTRACEAGG_SUM, STRKEY);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fake_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(entries_add_up_by_key),
		TEST(integer_keys_have_their_own_columns),
		TEST(values_sort_first_and_keys_break_ties),
		TEST(min_and_max_keep_the_extremes),
		TEST(trunc_keeps_the_largest_or_smallest),
		TEST(normalization_divides_until_it_is_undone),
		TEST(joined_rows_show_zero_for_what_is_missing),
		TEST(walks_may_remove),
		TEST(walks_have_an_order),
		TEST(walks_do_what_a_visit_returns),
		TEST(joined_walks_have_what_is_there),
		TEST(values_of_each_cpu_are_kept_if_wanted),
		TEST(many_keys_are_all_kept),
		TEST(strings_have_their_own_lengths),
		TEST(damaged_snapshots_are_refused),
		TEST(symbols_of_the_kernel_add_up_by_name),
		TEST(modules_add_up_by_name),
		TEST(symbols_of_processes_add_up_by_name),
		TEST(addresses_do_not_add_up),
		TEST(snapshots_of_any_size_are_taken),
		TEST(lost_entries_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
