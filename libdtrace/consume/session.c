/* SPDX-License-Identifier: MIT */
/*
 * session.c - the course of tracing: starts, waits, looks at the status, does the work that is due,
 * stops.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "../proc.h"
#include "document.h"

#define NANOSEC 1000000000ULL
#define MAXPOLL 64

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
	dt_buffers_fini(se->buffers);
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

/* Read the options that the module may have changed. Return 0, or -1 with an error. */
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

/* Set the error that the module ended the session, as nothing was read for too long. Return -1. */
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

int dtrace_consume(dtrace_hdl_t *dtp, FILE *fp, dtrace_consume_probe_f *pfunc,
		   dtrace_consume_rec_f *rfunc, void *arg)
{
	struct dt_consumer con = {.fp = fp, .pfunc = pfunc, .rfunc = rfunc, .arg = arg};
	char *mem = NULL;
	size_t memlen = 0;
	int rv;

	if (!dtp->active)
		return dt_set_errno(dtp, EDT_INACTIVE);
	if (dt_buffers_snap(dtp) != 0 || dtrace_aggregate_snap(dtp) != 0)
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
