/* SPDX-License-Identifier: MIT */
/*
 * consume_buffer.c - records of several CPUs come out in order of time, none too early, none lost;
 * and are printed in the classic form. The buffers are made by hand.
 */
#include <stdlib.h>
#include <string.h>
#include "consume_fake.h"

#define EPID 1
#define LINE 2 /* an enabled probe that prints its value */

/* A buffer under construction. */
struct buf {
	char data[4096] __attribute__((aligned(8)));
	size_t n;
};

static char seen[256];

static void record_add(struct buf *buf, uint32_t epid, uint64_t time, uint64_t value)
{
	struct dtrace_rechdr hdr = {.dtrh_epid = epid, .dtrh_size = 24, .dtrh_timestamp = time};

	memcpy(buf->data + buf->n, &hdr, sizeof(hdr));
	memcpy(buf->data + buf->n + sizeof(hdr), &value, sizeof(value));
	buf->n += 24;
}

static int note(dtrace_hdl_t *d, const dt_eprobe_t *ep, const struct dtrace_rechdr *rec, int cpu,
		void *arg)
{
	char one[32];

	(void)d;
	(void)ep;
	(void)arg;
	snprintf(one, sizeof(one), "%llu/%d ", (unsigned long long)rec->dtrh_timestamp, cpu);
	strcat(seen, one);
	return 0;
}

static const char *emitted(bool last)
{
	*seen = '\0';
	assert_int_equal(dt_buffers_emit(dtp, last, note, NULL), 0);
	return seen;
}

static void add(int cpu, const struct buf *buf, size_t oldest, uint64_t mark)
{
	assert_int_equal(dt_buffers_add(dtp, cpu, buf->data, buf->n, oldest, mark), 0);
}

static void records_wait_until_no_older_one_can_come(void **state)
{
	struct buf one = {.n = 0}, two = {.n = 0}, three = {.n = 0};

	(void)state;
	record_add(&one, EPID, 10, 0);
	record_add(&one, EPID, 30, 0);
	record_add(&two, EPID, 20, 0);
	record_add(&two, EPID, 40, 0);
	add(0, &one, 0, 35);
	add(1, &two, 0, 45);
	assert_string_equal(emitted(false), "10/0 20/1 30/0 ");
	record_add(&three, EPID, 36, 0);
	add(0, &three, 0, 60);
	add(1, &(struct buf){.n = 0}, 0, 62);
	assert_string_equal(emitted(false), "36/0 40/1 ");
	assert_string_equal(emitted(true), "");
}

static void the_last_round_gives_out_everything(void **state)
{
	struct buf one = {.n = 0};

	(void)state;
	record_add(&one, EPID, 100, 0);
	add(0, &one, 0, 50);
	add(1, &(struct buf){.n = 0}, 0, 50);
	assert_string_equal(emitted(false), "");
	assert_string_equal(emitted(true), "100/0 ");
}

static void a_wrapped_ring_begins_at_its_oldest_record(void **state)
{
	struct buf ring = {.n = 0};

	(void)state;
	dtrace_setopt(dtp, "temporal", "off");
	record_add(&ring, EPID, 3, 0);
	record_add(&ring, EPID, 1, 0);
	record_add(&ring, EPID, 2, 0);
	add(0, &ring, 24, 9);
	assert_string_equal(emitted(false), "1/0 2/0 3/0 ");
}

static void without_order_of_time_cpus_follow_each_other(void **state)
{
	struct buf one = {.n = 0}, two = {.n = 0};

	(void)state;
	dtrace_setopt(dtp, "temporal", "no");
	record_add(&one, EPID, 10, 0);
	record_add(&one, 3, 99, 0);
	record_add(&two, EPID, 5, 0);
	add(0, &one, 0, 100);
	add(1, &two, 0, 100);
	assert_string_equal(emitted(true), "10/0 5/1 99/0 ");
}

static void padding_is_skipped(void **state)
{
	struct buf one = {.n = 8};

	(void)state;
	record_add(&one, EPID, 7, 0);
	one.n += 8;
	add(0, &one, 0, 9);
	assert_string_equal(emitted(true), "7/0 ");
}

static void damaged_data_is_refused(void **state)
{
	struct buf one = {.n = 0};
	struct dtrace_rechdr *hdr = (void *)one.data;

	(void)state;
	record_add(&one, EPID, 7, 0);
	hdr->dtrh_size = 4000;
	assert_int_equal(dt_buffers_add(dtp, 0, one.data, one.n, 0, 9), -1);
	assert_int_equal(dtrace_errno(dtp), EDT_BADDATA);
	hdr->dtrh_size = 20;
	assert_int_equal(dt_buffers_add(dtp, 0, one.data, one.n, 0, 9), -1);
	hdr->dtrh_size = 16;
	assert_int_equal(dt_buffers_add(dtp, 0, one.data, one.n, 0, 9), -1);
	hdr->dtrh_size = 24;
	hdr->dtrh_epid = 9;
	assert_int_equal(dt_buffers_add(dtp, 0, one.data, one.n, 0, 9), -1);
	assert_int_equal(dt_buffers_add(dtp, 0, one.data, one.n, 4, 9), -1);
	assert_string_equal(emitted(true), "");
}

static void descriptions_are_asked_once(void **state)
{
	struct buf one = {.n = 0};

	(void)state;
	for (int i = 0; i < 10; i++)
		record_add(&one, EPID, i, 0);
	add(0, &one, 0, 100);
	add(0, &one, 0, 100);
	assert_int_equal(fake.questions, 1);
}

static int columns(const dtrace_probedata_t *data, void *arg)
{
	fprintf(arg, "%d %u %s%s:%s", data->dtpda_cpu, data->dtpda_pdesc->dtpd_id,
		data->dtpda_prefix, data->dtpda_pdesc->dtpd_func, data->dtpda_pdesc->dtpd_name);
	for (int i = 0; i < data->dtpda_indent; i++)
		fputc('.', arg);
	return DTRACE_CONSUME_THIS;
}

static int line(const dtrace_probedata_t *data, const dtrace_recdesc_t *rec, void *arg)
{
	(void)data;
	if (!rec)
		fputc('\n', arg);
	return DTRACE_CONSUME_THIS;
}

static void print_all(FILE *fp, void *arg)
{
	struct dt_consumer con = {.fp = fp, .pfunc = columns, .rfunc = line, .arg = fp};

	(void)arg;
	assert_int_equal(dt_buffers_emit(dtp, true, dt_record_print, &con), 0);
}

static void a_record_is_printed_between_the_clients_calls(void **state)
{
	struct buf one = {.n = 0};

	(void)state;
	record_add(&one, LINE, 1, 42);
	record_add(&one, EPID, 2, 0);
	add(0, &one, 0, 9);
	assert_string_equal(captured(print_all, NULL), "0 102 :line               42\n0 101 f:n\n");
}

static void flow_indents_between_entry_and_return(void **state)
{
	struct buf one = {.n = 0};

	(void)state;
	dtrace_setopt(dtp, "flowindent", NULL);
	record_add(&one, 4, 1, 0);
	record_add(&one, EPID, 2, 0);
	record_add(&one, 5, 3, 0);
	add(0, &one, 0, 9);
	assert_string_equal(captured(print_all, NULL),
			    "0 104  -> f:entry\n0 101 | f:n..\n0 105  <- f:return\n");
}

static void one_clause_of_a_firing_has_the_arrow(void **state)
{
	struct buf one = {.n = 0}, two = {.n = 0};

	(void)state;
	dtrace_setopt(dtp, "flowindent", NULL);
	fake_eprobe(6, "syscall", "f", "do-entry", NULL, 0, 24);
	fake_eprobe(7, "syscall", "f", "do-entry", NULL, 0, 24);
	fake_eprobe(8, "syscall", "f", "return", NULL, 0, 24);
	fake_eprobe(9, "syscall", "f", "return", NULL, 0, 24);
	fake.eprobes[7].dtepd_probeid = fake.eprobes[6].dtepd_probeid;
	fake.eprobes[9].dtepd_probeid = fake.eprobes[8].dtepd_probeid;
	for (uint32_t epid = 6; epid <= 9; epid++)
		record_add(&one, epid, 10 * epid, 0);
	record_add(&two, EPID, 81, 0);
	add(0, &one, 0, 99);
	add(1, &two, 0, 99);
	assert_string_equal(captured(print_all, NULL),
			    "0 106  => f:do-entry\n0 106 | f:do-entry..\n0 108 | f:return..\n"
			    "1 101 | f:n\n0 108  <= f:return\n");
}

static char faults[256];

static int on_fault(const dtrace_errdata_t *data, void *arg)
{
	(void)arg;
	strcat(faults, data->dteda_msg);
	return DTRACE_HANDLE_OK;
}

static void faults_are_told_in_the_classic_words(void **state)
{
	const dtrace_recdesc_t recs[] = {
		{.dtrd_size = 8, .dtrd_offset = 16}, {.dtrd_size = 8, .dtrd_offset = 24},
		{.dtrd_size = 8, .dtrd_offset = 32}, {.dtrd_size = 8, .dtrd_offset = 40},
		{.dtrd_size = 8, .dtrd_offset = 48},
	};
	struct {
		struct dtrace_rechdr hdr;
		uint64_t args[5];
	} rec = {{6, 56, 1}, {LINE, 1, 12, DTRACEFLT_BADADDR, 0x10}};

	(void)state;
	fake_eprobe(6, "dtrace", "", "ERROR", recs, 5, 56);
	fake.eprobes[6].dtepd_uarg = 77;
	dt_session(dtp)->errclause = 77;
	dtrace_handle_err(dtp, on_fault, NULL);
	assert_int_equal(dt_buffers_add(dtp, 0, &rec, sizeof(rec), 0, 1), 0);
	captured(print_all, NULL);
	rec.args[1] = 0;
	rec.args[3] = DTRACEFLT_DIVZERO;
	assert_int_equal(dt_buffers_add(dtp, 0, &rec, sizeof(rec), 0, 1), 0);
	captured(print_all, NULL);
	assert_string_equal(faults, "error on enabled probe ID 2 (ID 102: p:::line): invalid "
				    "address (0x10) in action #1 at DIF offset 12\n"
				    "error on enabled probe ID 2 (ID 102: p:::line): "
				    "divide-by-zero in predicate at DIF offset 12\n");
}

static char drops[512];

static int on_drop(const dtrace_dropdata_t *data, void *arg)
{
	(void)arg;
	strcat(drops, data->dtdda_msg);
	return DTRACE_HANDLE_OK;
}

static void drops_are_told_once_each(void **state)
{
	dtrace_status_t st = {.dtst_dyndrops = 1,
			      .dtst_dyndrops_dirty = 2,
			      .dtst_specdrops_busy = 1,
			      .dtst_dblerrors = 3};

	(void)state;
	dtrace_handle_drop(dtp, on_drop, NULL);
	assert_int_equal(dt_drops_report(dtp, &st), 0);
	assert_int_equal(dt_drops_report(dtp, &st), 0);
	st.dtst_dyndrops = 4;
	assert_int_equal(dt_drops_report(dtp, &st), 0);
	assert_int_equal(dt_drop_cpu(dtp, DTRACEDROP_PRINCIPAL, 1, 5), 0);
	assert_string_equal(drops, "1 dynamic variable drop\n"
				   "2 dynamic variable drops with non-empty dirty list\n"
				   "1 failed speculation (available buffer(s) still busy)\n"
				   "3 errors in ERROR probe enabling\n"
				   "3 dynamic variable drops\n"
				   "5 drops on CPU 1\n");
}

static int setup(void **state)
{
	static dt_action_t trace = {.kind = DTRACEACT_DIFEXPR};
	dtrace_recdesc_t value = {
		.dtrd_action = DTRACEACT_DIFEXPR, .dtrd_size = 8, .dtrd_offset = 16};

	fake_setup(state);
	value.dtrd_uarg = fake_stmt(DT_STMT_TRACE, &trace, 1)->id;
	fake_eprobe(EPID, "p", "f", "n", NULL, 0, 24);
	fake_eprobe(LINE, "p", "", "line", &value, 1, 24);
	fake_eprobe(3, "dtrace", "", "END", NULL, 0, 24);
	fake_eprobe(4, "p", "f", "entry", NULL, 0, 24);
	fake_eprobe(5, "p", "f", "return", NULL, 0, 24);
	*faults = *drops = '\0';
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fake_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(records_wait_until_no_older_one_can_come),
		TEST(the_last_round_gives_out_everything),
		TEST(a_wrapped_ring_begins_at_its_oldest_record),
		TEST(without_order_of_time_cpus_follow_each_other),
		TEST(padding_is_skipped),
		TEST(damaged_data_is_refused),
		TEST(descriptions_are_asked_once),
		TEST(a_record_is_printed_between_the_clients_calls),
		TEST(flow_indents_between_entry_and_return),
		TEST(one_clause_of_a_firing_has_the_arrow),
		TEST(faults_are_told_in_the_classic_words),
		TEST(drops_are_told_once_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
