/* SPDX-License-Identifier: MIT */
/*
 * session.c - the course of tracing: starts, waits, looks at the status, reads records in one
 * order, stops.
 *
 * A snapshot of a CPU has a mark: no record that is read from the CPU later is older. So no record
 * up to the smallest of the latest marks is missing, and these are printed. The others wait for the
 * next snapshots.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "../proc.h"
#include "document.h"

#define NANOSEC 1000000000ULL
#define MAXPOLL 64

/* Bytes of one snapshot; freed with its last record. */
struct chunk {
	size_t nrecs;
	char data[] __attribute__((aligned(8)));
};

/*
 * A record that waits. Its order in the output: rank, then time or CPU, then the order of reading.
 */
struct item {
	const struct dtrace_rechdr *rec;
	const dt_eprobe_t *ep;
	struct chunk *chunk;
	uint64_t key;
	uint64_t seq;
	int cpu;
	int rank;
};

struct dt_buffers {
	struct item *items;
	size_t nitems, capacity;
	uint64_t seq;
	uint64_t *marks; /* per CPU */
	int nmarks;
	struct dt_snapshot snapshot;
};

/* Drop a reference of a chunk. */
static void chunk_put(struct chunk *chunk)
{
	if (--chunk->nrecs == 0)
		free(chunk);
}

static void buffers_fini(struct dt_buffers *bufs)
{
	if (!bufs)
		return;
	for (size_t i = 0; i < bufs->nitems; i++)
		chunk_put(bufs->items[i].chunk);
	free(bufs->items);
	free(bufs->marks);
	free(bufs->snapshot.data);
	free(bufs);
}

struct dt_session *dt_session(dtrace_hdl_t *dtp)
{
	if (!dtp->session) {
		dtp->session = calloc(1, sizeof(*dtp->session));
		if (!dtp->session)
			dt_set_errno(dtp, ENOMEM);
		else
			dtp->session->outfd = -1;
	}
	return dtp->session;
}

void dt_session_fini(dtrace_hdl_t *dtp)
{
	struct dt_session *se = dtp->session;

	if (!se)
		return;
	buffers_fini(se->buffers);
	dt_document_fini(se->document);
	free(se->flow);
	if (se->outfd != -1)
		close(se->outfd);
	free(se);
	dtp->session = NULL;
}

uint64_t dt_rate(dtrace_hdl_t *dtp, int option)
{
	dtrace_optval_t val = dt_option(dtp, option);

	return val == DTRACEOPT_UNSET ? NANOSEC : val;
}

unsigned int dt_ncpus(const dtrace_hdl_t *dtp)
{
	return dtp->conf.dtc_ncpus;
}

/* Read the options that the world may have changed. Return 0, or -1 with an error. */
static int session_options(dtrace_hdl_t *dtp)
{
	static const int changed[] = {DTRACEOPT_BUFSIZE, DTRACEOPT_AGGSIZE, DTRACEOPT_SPECSIZE,
				      DTRACEOPT_DYNVARSIZE, DTRACEOPT_CLEANRATE};

	for (size_t i = 0; i < sizeof(changed) / sizeof(*changed); i++) {
		dtrace_optget_t opt = {.dtog_option = changed[i]};

		if (dt_world_request(dtp, DTRACEIOC_OPTGET, &opt) == -1)
			return dt_set_errno(dtp, errno);
		dtp->options[changed[i]] = opt.dtog_value;
	}
	return 0;
}

/* Return the libdtrace error for an errno of GO. */
static int go_error(int err)
{
	switch (err) {
	case ENOMEM:
		return EDT_BUFTOOBIG;
	case ENOSPC:
		return EDT_BUFTOOSMALL;
	case E2BIG:
		return EDT_ENDTOOBIG;
	case EDQUOT:
		return EDT_USERMEM;
	default:
		return err;
	}
}

int dtrace_go(dtrace_hdl_t *dtp)
{
	struct dt_session *se = dt_session(dtp);
	dtrace_go_t go = {0};
	uint64_t now;

	if (!se)
		return -1;
	if (dtp->active)
		return dt_set_errno(dtp, EDT_ACTIVE);
	if (dt_error_program(dtp) != 0)
		return -1;
	dt_procs_go(dtp);
	if (dt_world_request(dtp, DTRACEIOC_GO, &go) == -1) {
		const int error = errno;

		if (!dtp->world || dt_procs_refused(dtp))
			return -1;
		return dt_set_errno(dtp, go_error(error));
	}
	if (session_options(dtp) != 0)
		return -1;
	dtp->active = true;
	dtp->begincpu = go.dtgo_cpu;
	now = dt_now();
	se->nextswitch = now + dt_rate(dtp, DTRACEOPT_SWITCHRATE);
	se->nextagg = now + dt_rate(dtp, DTRACEOPT_AGGRATE);
	se->nextstatus = now + dt_rate(dtp, DTRACEOPT_STATUSRATE);
	return 0;
}

/* Set the error that the world ended the session, as nothing was read for too long. Return -1. */
static int session_was_killed(dtrace_hdl_t *dtp)
{
	return dt_set_error(dtp, EBUSY, "Abort due to systemic unresponsiveness");
}

int dtrace_stop(dtrace_hdl_t *dtp)
{
	dtrace_go_t go = {0};

	if (!dtp->active)
		return dt_set_errno(dtp, EDT_INACTIVE);
	if (dtp->stopped)
		return 0;
	if (dt_world_request(dtp, DTRACEIOC_STOP, &go) == -1)
		return errno == EBUSY ? session_was_killed(dtp) : dt_set_errno(dtp, errno);
	dtp->stopped = true;
	dtp->endcpu = go.dtgo_cpu;
	return 0;
}

static uint64_t min64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * Return whether to wait for news of the device. Ring and fill buffers stay more than half full
 * until tracing stops, so with them there is news only once; after that the rates decide.
 */
static bool session_pollable(dtrace_hdl_t *dtp)
{
	dtrace_optval_t policy = dt_option(dtp, DTRACEOPT_BUFPOLICY);

	return policy == DTRACEOPT_UNSET || policy == DTRACEOPT_BUFPOLICY_SWITCH ||
	       !dt_session(dtp)->news;
}

void dtrace_sleep(dtrace_hdl_t *dtp)
{
	struct dt_session *se = dt_session(dtp);
	struct pollfd fds[MAXPOLL];
	struct timespec ts;
	uint64_t now = dt_now(), due;
	int nrecords = 0, n;

	if (!se)
		return;
	due = min64(min64(se->nextswitch, se->nextagg), se->nextstatus);
	due = min64(due, dt_procs_due(dtp));
	due = due > now ? due - now : 0;
	ts = (struct timespec){due / NANOSEC, due % NANOSEC};
	if (session_pollable(dtp))
		nrecords = dt_world_fds(dtp, DT_WORLD_RECORDS, fds, MAXPOLL);
	n = nrecords + dt_procs_fds(dtp, fds + nrecords, MAXPOLL - nrecords);
	if (ppoll(fds, n, &ts, NULL) > 0)
		for (int i = 0; i < nrecords; i++)
			se->news |= (fds[i].revents & POLLIN) != 0;
	dt_procs_work(dtp);
}

int dtrace_status(dtrace_hdl_t *dtp)
{
	dtrace_optval_t policy = dt_option(dtp, DTRACEOPT_BUFPOLICY);
	struct dt_session *se = dt_session(dtp);
	dtrace_status_t st;

	if (!se)
		return -1;
	if (!dtp->active)
		return dt_set_errno(dtp, EDT_INACTIVE);
	if (!dtp->stopped && !se->news && dt_now() < se->nextstatus)
		return DTRACE_STATUS_NONE;
	se->nextstatus = dt_now() + dt_rate(dtp, DTRACEOPT_STATUSRATE);
	if (dt_world_request(dtp, DTRACEIOC_STATUS, &st) == -1)
		return dt_set_errno(dtp, errno);
	if (dt_drops_report(dtp, &st) != 0)
		return -1;
	if (st.dtst_killed)
		return session_was_killed(dtp);
	if (dtp->stopped)
		return DTRACE_STATUS_STOPPED;
	if (st.dtst_exiting)
		return DTRACE_STATUS_EXITED;
	if (policy == DTRACEOPT_BUFPOLICY_FILL && st.dtst_filled >= 1)
		return DTRACE_STATUS_FILLED;
	return DTRACE_STATUS_OKAY;
}

/* ---- records ---- */

/* Return the session's buffers, made at the first call; NULL with ENOMEM. */
static struct dt_buffers *buffers_get(dtrace_hdl_t *dtp)
{
	struct dt_session *se = dt_session(dtp);

	if (!se)
		return NULL;
	if (se->buffers)
		return se->buffers;
	se->buffers = calloc(1, sizeof(*se->buffers));
	if (!se->buffers) {
		dt_set_errno(dtp, ENOMEM);
		return NULL;
	}
	se->buffers->snapshot = (struct dt_snapshot){.request = DTRACEIOC_BUFSNAP,
						     .option = DTRACEOPT_BUFSIZE,
						     .usual = DTRACE_BUFSIZE_DEFAULT,
						     .drops = DTRACEDROP_PRINCIPAL};
	return se->buffers;
}

/*
 * Return the rank of a record without order of time: BEGIN first, END last, between them CPU by
 * CPU.
 */
static int item_rank(const dt_eprobe_t *ep)
{
	const dtrace_probedesc_t *pd = &ep->desc.dtepd_desc;

	if (strcmp(pd->dtpd_provider, "dtrace") != 0)
		return 1;
	return strcmp(pd->dtpd_name, "BEGIN") == 0 ? 0 : strcmp(pd->dtpd_name, "END") == 0 ? 2 : 1;
}

/* Add a record. Return 0, or -1 with ENOMEM. */
static int item_add(dtrace_hdl_t *dtp, struct dt_buffers *bufs, struct chunk *chunk,
		    const struct dtrace_rechdr *rec, int cpu)
{
	const dt_eprobe_t *ep = dt_eprobe_find(dtp, rec->dtrh_epid);
	bool temporal = dt_option(dtp, DTRACEOPT_TEMPORAL) != 0;

	if (!ep)
		return -1;
	if (rec->dtrh_size < ep->desc.dtepd_size)
		return dt_set_error(dtp, EDT_BADDATA, "a record of enabled probe %u is too short",
				    rec->dtrh_epid);
	if (bufs->nitems == bufs->capacity) {
		size_t capacity = bufs->capacity * 2 + 256;
		struct item *more = realloc(bufs->items, capacity * sizeof(*more));

		if (!more)
			return dt_set_errno(dtp, ENOMEM);
		bufs->items = more;
		bufs->capacity = capacity;
	}
	bufs->items[bufs->nitems++] = (struct item){
		.rec = rec,
		.ep = ep,
		.chunk = chunk,
		.cpu = cpu,
		.seq = bufs->seq++,
		.rank = temporal ? 0 : item_rank(ep),
		.key = temporal ? rec->dtrh_timestamp : (uint64_t)cpu,
	};
	chunk->nrecs++;
	return 0;
}

/* Add the records from start to end. Return 0, or -1 with EDT_BADDATA or ENOMEM. */
static int chunk_parse(dtrace_hdl_t *dtp, struct dt_buffers *bufs, struct chunk *chunk, int cpu,
		       size_t start, size_t end)
{
	while (end - start >= sizeof(uint64_t)) {
		const struct dtrace_rechdr *rec = (const void *)(chunk->data + start);

		if (rec->dtrh_epid == DTRACE_EPIDNONE) {
			start += sizeof(uint64_t);
			continue;
		}
		if (end - start < sizeof(*rec) || rec->dtrh_size < sizeof(*rec) ||
		    rec->dtrh_size % sizeof(uint64_t) != 0 || rec->dtrh_size > end - start)
			return dt_set_error(dtp, EDT_BADDATA,
					    "the trace data of CPU %d is damaged at offset %zu",
					    cpu, start);
		if (item_add(dtp, bufs, chunk, rec, cpu) != 0)
			return -1;
		start += rec->dtrh_size;
	}
	return 0;
}

/* Set the mark of a CPU. Return 0, or -1 with ENOMEM. */
static int mark_set(dtrace_hdl_t *dtp, struct dt_buffers *bufs, int cpu, uint64_t mark)
{
	if (cpu >= bufs->nmarks) {
		uint64_t *more = realloc(bufs->marks, (cpu + 1) * sizeof(*more));

		if (!more)
			return dt_set_errno(dtp, ENOMEM);
		while (bufs->nmarks <= cpu)
			more[bufs->nmarks++] = UINT64_MAX;
		bufs->marks = more;
	}
	bufs->marks[cpu] = mark;
	return 0;
}

int dt_buffers_add(dtrace_hdl_t *dtp, int cpu, const void *data, size_t size, size_t oldest,
		   uint64_t mark)
{
	struct dt_buffers *bufs = buffers_get(dtp);
	struct chunk *chunk;
	int err;

	if (!bufs || mark_set(dtp, bufs, cpu, mark) != 0)
		return -1;
	if (size == 0)
		return 0;
	if (oldest > size || oldest % sizeof(uint64_t) != 0)
		return dt_set_errno(dtp, EDT_BADDATA);
	chunk = malloc(sizeof(*chunk) + size);
	if (!chunk)
		return dt_set_errno(dtp, ENOMEM);
	memcpy(chunk->data, data, size);
	chunk->nrecs = 1;
	err = chunk_parse(dtp, bufs, chunk, cpu, oldest, size);
	if (err == 0)
		err = chunk_parse(dtp, bufs, chunk, cpu, 0, oldest);
	chunk_put(chunk);
	return err;
}

/*
 * Make a snapshot's memory as large as the world's buffers, or twice as large if that was not
 * enough. Return 0, or -1 with an error.
 */
static int snapshot_grow(dtrace_hdl_t *dtp, struct dt_snapshot *snap)
{
	dtrace_optget_t opt = {.dtog_option = snap->option};
	size_t size = snap->size * 2;

	if (size == 0) {
		if (dt_world_request(dtp, DTRACEIOC_OPTGET, &opt) == -1)
			return dt_set_errno(dtp, errno);
		size = opt.dtog_value != DTRACEOPT_UNSET ? opt.dtog_value : snap->usual;
	}
	free(snap->data);
	snap->size = 0;
	snap->data = malloc(size);
	if (!snap->data)
		return dt_set_errno(dtp, ENOMEM);
	snap->size = size;
	return 0;
}

int dt_snapshot_read(dtrace_hdl_t *dtp, struct dt_snapshot *snap, int cpu, dtrace_bufdesc_t *desc)
{
	do {
		*desc = (dtrace_bufdesc_t){.dtbd_data = (uintptr_t)snap->data,
					   .dtbd_size = snap->size,
					   .dtbd_cpu = cpu};
		if (snap->data && dt_world_request(dtp, snap->request, desc) == 0)
			return dt_drop_cpu(dtp, snap->drops, cpu, desc->dtbd_drops) == 0 ? 1 : -1;
		if (snap->data && errno == ENOENT)
			return 0;
		if (snap->data && errno != ENOBUFS)
			return dt_set_errno(dtp, errno);
	} while (snapshot_grow(dtp, snap) == 0);
	return -1;
}

/* Read the buffer of a CPU. Return 0, or -1 with an error. */
static int buffer_snap(dtrace_hdl_t *dtp, struct dt_buffers *bufs, int cpu)
{
	dtrace_bufdesc_t desc;
	int got = dt_snapshot_read(dtp, &bufs->snapshot, cpu, &desc);

	if (got != 1)
		return got;
	return dt_buffers_add(dtp, cpu, bufs->snapshot.data, desc.dtbd_size, desc.dtbd_oldest,
			      desc.dtbd_timestamp);
}

static int buffers_snap(dtrace_hdl_t *dtp)
{
	struct dt_buffers *bufs = buffers_get(dtp);
	dtrace_optval_t policy = dt_option(dtp, DTRACEOPT_BUFPOLICY);

	if (!bufs)
		return -1;
	if (!dtp->stopped && policy != DTRACEOPT_UNSET && policy != DTRACEOPT_BUFPOLICY_SWITCH)
		return 0;
	for (unsigned int cpu = 0; cpu < dt_ncpus(dtp); cpu++)
		if (buffer_snap(dtp, bufs, cpu) != 0)
			return -1;
	return 0;
}

static int item_cmp(const void *left, const void *right)
{
	const struct item *l = left, *r = right;

	if (l->rank != r->rank)
		return l->rank < r->rank ? -1 : 1;
	if (l->key != r->key)
		return l->key < r->key ? -1 : 1;
	return l->seq < r->seq ? -1 : 1;
}

/* Return the time up to which no record is missing. */
static uint64_t buffers_horizon(dtrace_hdl_t *dtp, const struct dt_buffers *bufs)
{
	uint64_t least = UINT64_MAX;

	if (dt_option(dtp, DTRACEOPT_TEMPORAL) == 0)
		return least;
	for (int i = 0; i < bufs->nmarks; i++)
		if (bufs->marks[i] < least)
			least = bufs->marks[i];
	return least;
}

/*
 * Return the probe of the record that the CPU of item i recorded next, or NULL if it is not known.
 */
static const dt_eprobe_t *item_next(const struct dt_buffers *bufs, size_t i)
{
	for (size_t j = i + 1; j < bufs->nitems; j++)
		if (bufs->items[j].cpu == bufs->items[i].cpu)
			return bufs->items[j].ep;
	return NULL;
}

int dt_buffers_emit(dtrace_hdl_t *dtp, bool last, dt_buffer_f *func, void *arg)
{
	struct dt_buffers *bufs = buffers_get(dtp);
	bool flow = dt_option(dtp, DTRACEOPT_FLOWINDENT) == 1;
	uint64_t horizon;
	size_t done;
	int rv = 0;

	if (!bufs)
		return -1;
	horizon = last ? UINT64_MAX : buffers_horizon(dtp, bufs);
	if (bufs->nitems > 1)
		qsort(bufs->items, bufs->nitems, sizeof(*bufs->items), item_cmp);
	for (done = 0; done < bufs->nitems && rv == 0; done++) {
		struct item *it = &bufs->items[done];

		if (it->key > horizon)
			break;
		dt_session(dtp)->next = flow ? item_next(bufs, done) : NULL;
		rv = func(dtp, it->ep, it->rec, it->cpu, arg);
		chunk_put(it->chunk);
	}
	if (done > 0)
		memmove(bufs->items, bufs->items + done,
			(bufs->nitems - done) * sizeof(*bufs->items));
	bufs->nitems -= done;
	return rv;
}

int dtrace_consume(dtrace_hdl_t *dtp, FILE *fp, dtrace_consume_probe_f *pfunc,
		   dtrace_consume_rec_f *rfunc, void *arg)
{
	struct dt_consumer con = {.fp = fp, .pfunc = pfunc, .rfunc = rfunc, .arg = arg};
	char *mem = NULL;
	size_t memlen = 0;
	int rv;

	if (!dtp->active)
		return dt_set_errno(dtp, EDT_INACTIVE);
	if (buffers_snap(dtp) != 0 || dtrace_aggregate_snap(dtp) != 0)
		return -1;
	if (!fp) {
		con.fp = open_memstream(&mem, &memlen);
		if (!con.fp)
			return dt_set_errno(dtp, ENOMEM);
		con.mem = &mem;
		con.memlen = &memlen;
	}
	rv = dt_buffers_emit(dtp, dtp->stopped, dt_record_print, &con);
	if (!fp) {
		fclose(con.fp);
		free(mem);
	} else if (rv >= 0 && (fflush(fp) == EOF || ferror(fp))) {
		return dt_set_errno(dtp, errno != 0 ? errno : EIO);
	}
	return rv == DTRACE_CONSUME_ABORT ? 0 : rv;
}

/* ---- work ---- */

/* Stop tracing, and consume the rest. Return as dtrace_work(). */
static dtrace_workstatus_t work_last(dtrace_hdl_t *dtp, FILE *fp, dtrace_consume_probe_f *pfunc,
				     dtrace_consume_rec_f *rfunc, void *arg)
{
	if (dtrace_stop(dtp) != 0 || dtrace_consume(dtp, fp, pfunc, rfunc, arg) != 0)
		return DTRACE_WORKSTATUS_ERROR;
	return dtrace_status(dtp) == -1 ? DTRACE_WORKSTATUS_ERROR : DTRACE_WORKSTATUS_DONE;
}

dtrace_workstatus_t dtrace_work(dtrace_hdl_t *dtp, FILE *fp, dtrace_consume_probe_f *pfunc,
				dtrace_consume_rec_f *rfunc, void *arg)
{
	struct dt_session *se = dt_session(dtp);
	bool due;

	if (!se)
		return DTRACE_WORKSTATUS_ERROR;
	switch (dtrace_status(dtp)) {
	case DTRACE_STATUS_EXITED:
	case DTRACE_STATUS_FILLED:
	case DTRACE_STATUS_STOPPED:
		return work_last(dtp, fp, pfunc, rfunc, arg);
	case -1:
		return DTRACE_WORKSTATUS_ERROR;
	}
	due = se->news || dt_now() >= se->nextswitch;
	if (due) {
		se->nextswitch = dt_now() + dt_rate(dtp, DTRACEOPT_SWITCHRATE);
		if (session_pollable(dtp))
			se->news = false;
		return dtrace_consume(dtp, fp, pfunc, rfunc, arg) == 0 ? DTRACE_WORKSTATUS_OKAY
								       : DTRACE_WORKSTATUS_ERROR;
	}
	if (dt_now() >= se->nextagg && dtrace_aggregate_snap(dtp) != 0)
		return DTRACE_WORKSTATUS_ERROR;
	return DTRACE_WORKSTATUS_OKAY;
}
