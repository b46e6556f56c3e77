/* SPDX-License-Identifier: MIT */
/*
 * consume_fake.h - a handle without a module: requests to the device are answered from tables that
 * a test fills.
 */
#ifndef CONSUME_FAKE_H
#define CONSUME_FAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "../../libdtrace/consume/consume.h"

#define FAKE_MAX 16
#define FAKE_CPU 1 /* where BEGIN fired */

/* The results of the fake module. Numbers of probes and aggregations are indices, from 1 on. */
struct fake {
	dtrace_eprobedesc_t eprobes[FAKE_MAX];
	dtrace_recdesc_t erecs[FAKE_MAX][FAKE_MAX];
	dtrace_aggdesc_t aggs[FAKE_MAX];
	dtrace_recdesc_t arecs[FAKE_MAX][FAKE_MAX];
	int questions;		    /* EPROBE and AGGDESC requests */
	int go_error, optget_error; /* of GO and OPTGET; 0: they succeed */
	int enable_error;	    /* of ENABLE */
	const char *enable_message; /* what it says then, or NULL */
	uint32_t matches;	    /* probes that ENABLE finds */
	uint64_t optget_value;	    /* what each option is */
	const void *snapshot;	    /* AGGSNAP of CPU 0; NULL: it has none */
	size_t snapshot_size;
	uint64_t snapshot_drops;
	bool processes;	   /* requests about processes are answered */
	int registrations; /* of probes of processes: DTRACEFTIOC_REGISTER requests */
	uint64_t site;	   /* address of the first site of the last one */
};
extern struct fake fake;

extern dtrace_hdl_t *dtp; /* with two CPUs and an empty table */

/* fake_setup, fake_teardown - fixtures that open and close dtp. */
int fake_setup(void **state);
int fake_teardown(void **state);
/* fake_end - close dtp, and check that no descriptor is left of it. */
void fake_end(void);
/* fake_stmt - a statement of a kind with n actions that belong to the test; its number is in it. */
dt_stmt_t *fake_stmt(dt_stmt_kind_t kind, dt_action_t *actions, uint32_t n);
/* fake_eprobe - describe enabled probe epid: prov:::name with the given record. */
void fake_eprobe(dtrace_epid_t epid, const char *provider, const char *func, const char *name,
		 const dtrace_recdesc_t *recs, uint32_t n, uint32_t size);
/* fake_agg - describe aggregation id with the n given records. */
void fake_agg(dtrace_aggid_t id, const dtrace_recdesc_t *recs, uint32_t n, uint32_t size);
/* captured - what print writes to a file; valid until the next call. */
const char *captured(void (*print)(FILE *fp, void *arg), void *arg);

#endif
