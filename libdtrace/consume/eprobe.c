/* SPDX-License-Identifier: MIT */
/*
 * eprobe.c - the world's descriptions of enabled probes and aggregations. Each is asked for once,
 * and kept.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "consume.h"

#define NRECS 32 /* descriptions of records to expect */

/* Growing tables by number; NULL: not requested yet. */
struct dt_eprobes {
	dt_eprobe_t **eprobes;
	uint32_t neprobes;
	dt_aggid_t **aggids;
	uint32_t naggids;
};

/* Return the handle's tables, made at the first call; NULL with ENOMEM. */
static struct dt_eprobes *eprobes_get(dtrace_hdl_t *dtp)
{
	if (!dtp->eprobes)
		dtp->eprobes = calloc(1, sizeof(*dtp->eprobes));
	if (!dtp->eprobes)
		dt_set_errno(dtp, ENOMEM);
	return dtp->eprobes;
}

/* Make capacity for entry i in a table of pointers. Return false without memory. */
static bool table_grow(void *tablep, uint32_t *n, uint32_t i)
{
	void **old = *(void ***)tablep, **more;
	uint32_t capacity;

	if (i < *n)
		return true;
	capacity = i + i / 2 + 16;
	if (capacity < i)
		return false;
	more = realloc(old, (size_t)capacity * sizeof(*more));
	if (!more)
		return false;
	memset(more + *n, 0, (size_t)(capacity - *n) * sizeof(*more));
	*(void ***)tablep = more;
	*n = capacity;
	return true;
}

/* Return whether all records are within size bytes. */
static bool recs_valid(const dtrace_recdesc_t *recs, uint32_t n, uint32_t size)
{
	for (uint32_t i = 0; i < n; i++)
		if (recs[i].dtrd_offset > size || recs[i].dtrd_size > size - recs[i].dtrd_offset)
			return false;
	return true;
}

/*
 * Fill in a description with a capacity of *n records, and set *n to the number of its records.
 * Return false with an error.
 */
typedef bool ask_f(dtrace_hdl_t *dtp, void *desc, dtrace_recdesc_t *recs, uint32_t *n);

/*
 * Return the records of a description, for the caller to free; NULL with an error. Ask twice at
 * most: the second time with the capacity that is needed.
 */
static dtrace_recdesc_t *recs_ask(dtrace_hdl_t *dtp, void *desc, ask_f *ask)
{
	uint32_t capacity, n = NRECS;
	dtrace_recdesc_t *recs;
	bool ok;

	do {
		capacity = n;
		recs = calloc(capacity, sizeof(*recs));
		if (!recs) {
			dt_set_errno(dtp, ENOMEM);
			return NULL;
		}
		ok = ask(dtp, desc, recs, &n);
		if (ok && n <= capacity)
			return recs;
		free(recs);
	} while (ok);
	return NULL;
}

/* Ask for an enabled probe: an ask_f. */
static bool eprobe_ask(dtrace_hdl_t *dtp, void *arg, dtrace_recdesc_t *recs, uint32_t *n)
{
	dtrace_eprobedesc_t *desc = arg;
	dtrace_epid_t epid = desc->dtepd_epid;

	*desc = (dtrace_eprobedesc_t){
		.dtepd_epid = epid, .dtepd_nrecs = *n, .dtepd_recs = (uintptr_t)recs};
	if (dt_world_request(dtp, DTRACEIOC_EPROBE, desc) == -1) {
		dt_set_error(dtp, EDT_BADDATA, "no description of enabled probe %u: %s", epid,
			     strerror(errno));
		return false;
	}
	*n = desc->dtepd_nrecs;
	return true;
}

/* Ask for an aggregation: an ask_f. */
static bool aggid_ask(dtrace_hdl_t *dtp, void *arg, dtrace_recdesc_t *recs, uint32_t *n)
{
	dtrace_aggdesc_t *desc = arg;
	dtrace_aggid_t id = desc->dtagd_id;

	*desc = (dtrace_aggdesc_t){
		.dtagd_id = id, .dtagd_nrecs = *n, .dtagd_recs = (uintptr_t)recs};
	if (dt_world_request(dtp, DTRACEIOC_AGGDESC, desc) == -1) {
		dt_set_error(dtp, EDT_BADDATA, "no description of aggregation %u: %s", id,
			     strerror(errno));
		return false;
	}
	*n = desc->dtagd_nrecs;
	return true;
}

/* Return whether a name is a word, or ends in -word. */
static bool name_ends(const char *name, const char *word)
{
	size_t n = strlen(name), w = strlen(word);

	return n >= w && strcmp(name + n - w, word) == 0 && (n == w || name[n - w - 1] == '-');
}

/* Return how a probe of this name changes the flow indentation. */
static dtrace_flowkind_t eprobe_flow(const char *name)
{
	return name_ends(name, "entry")	   ? DTRACEFLOW_ENTRY
	       : name_ends(name, "return") ? DTRACEFLOW_RETURN
					   : DTRACEFLOW_NONE;
}

const dt_eprobe_t *dt_eprobe_find(dtrace_hdl_t *dtp, dtrace_epid_t epid)
{
	struct dt_eprobes *eps = eprobes_get(dtp);
	dt_eprobe_t *ep;

	if (!eps)
		return NULL;
	if (epid < eps->neprobes && eps->eprobes[epid])
		return eps->eprobes[epid];
	ep = calloc(1, sizeof(*ep));
	if (!ep) {
		dt_set_errno(dtp, ENOMEM);
		return NULL;
	}
	ep->desc.dtepd_epid = epid;
	ep->recs = recs_ask(dtp, &ep->desc, eprobe_ask);
	if (!ep->recs)
		goto fail;
	if (!recs_valid(ep->recs, ep->desc.dtepd_nrecs, ep->desc.dtepd_size)) {
		dt_set_errno(dtp, EDT_BADDATA);
		goto fail;
	}
	if (!table_grow(&eps->eprobes, &eps->neprobes, epid)) {
		dt_set_errno(dtp, ENOMEM);
		goto fail;
	}
	ep->desc.dtepd_desc.dtpd_id = ep->desc.dtepd_probeid;
	ep->flow = eprobe_flow(ep->desc.dtepd_desc.dtpd_name);
	ep->syscall = strcmp(ep->desc.dtepd_desc.dtpd_provider, "syscall") == 0;
	eps->eprobes[epid] = ep;
	return ep;
fail:
	free(ep->recs);
	free(ep);
	return NULL;
}

/* Set the statement and the variable of an aggregation. Return false if there are none. */
static bool aggid_resolve(dtrace_hdl_t *dtp, dt_aggid_t *id)
{
	const dtrace_recdesc_t *rec;

	if (id->desc.dtagd_nrecs == 0 || id->desc.dtagd_size < sizeof(struct dtrace_aggrec) ||
	    !recs_valid(id->recs, id->desc.dtagd_nrecs, id->desc.dtagd_size))
		return false;
	rec = &id->recs[id->desc.dtagd_nrecs - 1];
	id->stmt = dt_stmt_find(dtp, rec->dtrd_uarg);
	if (!id->stmt || id->stmt->naggs == 0 || id->stmt->nactions < id->desc.dtagd_nrecs)
		return false;
	id->var = id->stmt->aggs[0];
	return DTRACEACT_ISAGG(rec->dtrd_action);
}

const dt_aggid_t *dt_aggid_find(dtrace_hdl_t *dtp, dtrace_aggid_t num)
{
	struct dt_eprobes *eps = eprobes_get(dtp);
	dt_aggid_t *id;

	if (!eps)
		return NULL;
	if (num < eps->naggids && eps->aggids[num])
		return eps->aggids[num];
	id = calloc(1, sizeof(*id));
	if (!id) {
		dt_set_errno(dtp, ENOMEM);
		return NULL;
	}
	id->desc.dtagd_id = num;
	id->recs = recs_ask(dtp, &id->desc, aggid_ask);
	if (!id->recs)
		goto fail;
	if (!aggid_resolve(dtp, id)) {
		dt_set_error(dtp, EDT_BADDATA, "the description of aggregation %u makes no sense",
			     num);
		goto fail;
	}
	if (!table_grow(&eps->aggids, &eps->naggids, num)) {
		dt_set_errno(dtp, ENOMEM);
		goto fail;
	}
	eps->aggids[num] = id;
	return id;
fail:
	free(id->recs);
	free(id);
	return NULL;
}

void dt_eprobes_fini(dtrace_hdl_t *dtp)
{
	struct dt_eprobes *eps = dtp->eprobes;

	if (!eps)
		return;
	for (uint32_t i = 0; i < eps->neprobes; i++)
		if (eps->eprobes[i]) {
			free(eps->eprobes[i]->recs);
			free(eps->eprobes[i]);
		}
	for (uint32_t i = 0; i < eps->naggids; i++)
		if (eps->aggids[i]) {
			free(eps->aggids[i]->recs);
			free(eps->aggids[i]);
		}
	free(eps->eprobes);
	free(eps->aggids);
	free(eps);
	dtp->eprobes = NULL;
}
