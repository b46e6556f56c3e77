/* SPDX-License-Identifier: MIT */
/* drop.c - reports lost data and failures to the handlers, in the classic words. */
#include <stdlib.h>
#include <string.h>
#include "output.h"

#define STATUS(field) offsetof(dtrace_status_t, field), sizeof(((dtrace_status_t *)0)->field)

static const struct {
	const char *what; /* with an s after it when there are several */
	const char *more; /* after that */
	const char *tag;
	size_t count, size; /* where dtrace_status_t counts it; 0: per CPU */
} drops[DTRACEDROP_MAX] = {
	[DTRACEDROP_PRINCIPAL] = {"drop", "", "PRINCIPAL", 0, 0},
	[DTRACEDROP_AGGREGATION] = {"aggregation drop", "", "AGGREGATION", 0, 0},
	[DTRACEDROP_DYNAMIC] = {"dynamic variable drop", "", "DYNAMIC", STATUS(dtst_dyndrops)},
	[DTRACEDROP_DYNRINSE] = {"dynamic variable drop", " with non-empty rinsing list",
				 "DYNRINSE", STATUS(dtst_dyndrops_rinsing)},
	[DTRACEDROP_DYNDIRTY] = {"dynamic variable drop", " with non-empty dirty list", "DYNDIRTY",
				 STATUS(dtst_dyndrops_dirty)},
	[DTRACEDROP_SPEC] = {"speculative drop", "", "SPEC", STATUS(dtst_specdrops)},
	[DTRACEDROP_SPECBUSY] = {"failed speculation", " (available buffer(s) still busy)",
				 "SPECBUSY", STATUS(dtst_specdrops_busy)},
	[DTRACEDROP_SPECUNAVAIL] = {"failed speculation", " (no speculative buffer available)",
				    "SPECUNAVAIL", STATUS(dtst_specdrops_unavail)},
	[DTRACEDROP_STKSTROVERFLOW] = {"jstack()/ustack() string table overflow", "",
				       "STKSTROVERFLOW", STATUS(dtst_stkstroverflows)},
	[DTRACEDROP_DBLERROR] = {"error", " in ERROR probe enabling", "DBLERROR",
				 STATUS(dtst_dblerrors)},
	[DTRACEDROP_PAUSE] = {"pause",
			      " of profile, tick and cpc probes (user_interrupt_share is used up)",
			      "PAUSE", STATUS(dtst_pauses)},
	[DTRACEDROP_UNATTACHED] =
		{"probe",
		 " not enabled (no memory, a limit of /proc/dtrace/users, or refused by "
		 "the provider: enable fewer probes, or have root raise the limit)",
		 "UNATTACHED", STATUS(dtst_unattached)},
	[DTRACEDROP_MISSED] = {"event",
			       " missed (functions whose return could not be noted, or within "
			       "non-maskable interrupts or signal handlers)",
			       "MISSED", STATUS(dtst_missed)},
};

const char *dt_drop_tag(dtrace_dropkind_t kind)
{
	return drops[kind].tag;
}

/*
 * Tell the form of output and the caller of n drops. Return 0, or -1 with the error set: without a
 * handler, lost data is an error.
 */
static int drop_report(dtrace_hdl_t *dtp, dtrace_dropkind_t kind, int cpu, uint64_t n,
		       uint64_t total)
{
	dtrace_dropdata_t data = {dtp, kind, cpu, n, total, NULL};
	const struct dt_output *out = dt_output(dtp);
	char message[256], tag[64] = "", where[32] = "";

	if (dtp->copts[DT_COPT_DROPTAGS])
		snprintf(tag, sizeof(tag), "[DTRACEDROP_%s] ", drops[kind].tag);
	if (cpu != -1)
		snprintf(where, sizeof(where), " on CPU %d", cpu);
	snprintf(message, sizeof(message), "%s%llu %s%s%s%s\n", tag, (unsigned long long)n,
		 drops[kind].what, n == 1 ? "" : "s", drops[kind].more, where);
	data.dtdda_msg = message;
	if (out->drop && out->drop(dtp, &data) != 0)
		return -1;
	if (!dtp->handlers.drop)
		return dt_set_error(dtp, EDT_HANDLER, "data was lost: %.*s",
				    (int)strcspn(message, "\n"), message);
	if (dtp->handlers.drop(&data, dtp->handlers.droparg) == DTRACE_HANDLE_ABORT)
		return dt_set_errno(dtp, EDT_HANDLER);
	return 0;
}

int dt_drop_cpu(dtrace_hdl_t *dtp, dtrace_dropkind_t kind, int cpu, uint64_t n)
{
	struct dt_session *se = dt_session(dtp);
	uint64_t *total = kind == DTRACEDROP_PRINCIPAL ? &se->principal[0] : &se->aggregation[0];

	*total += n;
	return n == 0 ? 0 : drop_report(dtp, kind, cpu, n, *total);
}

/* Return the count of a kind of drop in the status: a field of 32 or 64 bits. */
static uint64_t status_count(const dtrace_status_t *st, int kind)
{
	return dt_value_load((const char *)st + drops[kind].count, drops[kind].size, false);
}

int dt_drops_report(dtrace_hdl_t *dtp, const dtrace_status_t *now)
{
	struct dt_session *se = dt_session(dtp);
	dtrace_status_t old = se->status;

	se->status = *now;
	for (int kind = DTRACEDROP_DYNAMIC; kind < DTRACEDROP_MAX; kind++) {
		uint64_t n = status_count(now, kind), was = status_count(&old, kind);

		if (n > was && drop_report(dtp, kind, -1, n - was, n) != 0)
			return -1;
	}
	return 0;
}

/* ---- faults ---- */

#define USER_FIRST 4096ULL	/* lower addresses are NULL pointers and their members */
#define USER_END   (1ULL << 47) /* of a process's addresses */

/* The part of a program that failed. */
struct culprit {
	const dt_clause_t *clause; /* NULL: not known */
	const dt_difo_t *difo;	   /* of the action or the predicate; NULL: none */
	uint32_t line;
};

/* Return the clause with that number, or NULL. */
static const dt_clause_t *clause_find(const dtrace_hdl_t *dtp, uint64_t id)
{
	for (const dtrace_prog_t *prog = dtp->progs; prog; prog = prog->next)
		for (const dt_clause_t *cl = prog->clauses; cl; cl = cl->next)
			if (cl->id == id)
				return cl;
	return NULL;
}

/*
 * Find the part of the program that failed. Actions are counted from 1 on through the statements of
 * the clause; 0 is the predicate.
 */
static struct culprit culprit_find(const dtrace_hdl_t *dtp, const dtrace_errdata_t *err)
{
	struct culprit c = {.clause = clause_find(dtp, err->dteda_edesc->dtepd_uarg)};
	uint32_t before = 1;

	if (!c.clause)
		return c;
	if (err->dteda_action == 0) {
		c.difo = c.clause->predicate;
		c.line = c.clause->line;
		return c;
	}
	for (uint32_t i = 0; i < c.clause->nstmts; i++) {
		const dt_stmt_t *stmt = c.clause->stmts[i];

		if ((uint32_t)err->dteda_action - before < stmt->nactions) {
			c.difo = stmt->actions[err->dteda_action - before].difo;
			c.line = stmt->line;
			return c;
		}
		before += stmt->nactions;
	}
	return c;
}

/*
 * Return a hint for a bad address of user land, by its use: in an instruction, or as recorded data.
 */
static const char *address_hint(const struct culprit *c, const dtrace_errdata_t *err)
{
	uint32_t i = (uint32_t)err->dteda_offset / sizeof(dif_instr_t), subr = DIF_SUBR_MAX + 1;
	uint8_t op = DIF_OP_NOP;

	if (err->dteda_addr < USER_FIRST || err->dteda_addr >= USER_END)
		return "";
	if (c->difo && err->dteda_offset >= 0 && i < c->difo->len)
		op = DIF_INSTR_OP(c->difo->text[i]);
	if (op == DIF_OP_STB || op == DIF_OP_STH || op == DIF_OP_STW || op == DIF_OP_STX)
		return ": only memory of alloca() can be stored to; copyout() writes to the process";
	if (op == DIF_OP_CALL)
		subr = DIF_INSTR_SUBR(c->difo->text[i]);
	switch (subr) {
	case DIF_SUBR_BCOPY:
		return ": bcopy() writes to memory of alloca() only, and copyin() reads the process";
	case DIF_SUBR_COPYOUT:
	case DIF_SUBR_COPYOUTSTR:
		return ": the process cannot write there, or the page is not in memory now";
	case DIF_SUBR_COPYIN:
	case DIF_SUBR_COPYINSTR:
	case DIF_SUBR_COPYINTO:
		return ": the process has nothing there, or the page is not in memory now";
	default:
		return ": an address of the process is read by copyin() or copyinstr()";
	}
}

/* Write the source location, or "" if the program is one line of the command line. */
static void fault_location(const struct culprit *c, char *text, size_t len)
{
	*text = '\0';
	if (c->line != 0 && c->clause->file)
		snprintf(text, len, " (%s:%u)", c->clause->file, c->line);
	else if (c->line > 1)
		snprintf(text, len, " (line %u)", c->line);
}

/* Write the failure, with the address that it concerns, its location in the clause, and a hint. */
static void fault_message(const dtrace_hdl_t *dtp, const dtrace_errdata_t *err, char *message,
			  size_t len)
{
	char where[64] = "predicate", addr[32] = "", at[48] = "", location[512];
	struct culprit c = culprit_find(dtp, err);
	const char *why = "";

	if (err->dteda_fault == DTRACEFLT_KPRIV && dtp->conf.dtc_privs & DTRACE_PRIV_LOCKED)
		why = " (the kernel is locked down: see kernel_lockdown(7))";
	if (err->dteda_fault == DTRACEFLT_ILLOP && c.difo && c.difo->pending)
		why = ": this probe did not exist when args[] was compiled: start dtrace again";
	else if (err->dteda_fault == DTRACEFLT_BADADDR)
		why = address_hint(&c, err);
	if (err->dteda_action != 0)
		snprintf(where, sizeof(where), "action #%d", err->dteda_action);
	if (err->dteda_fault == DTRACEFLT_BADADDR || err->dteda_fault == DTRACEFLT_BADALIGN ||
	    err->dteda_fault == DTRACEFLT_BADSTACK)
		snprintf(addr, sizeof(addr), " (0x%llx)", (unsigned long long)err->dteda_addr);
	if (err->dteda_offset != -1)
		snprintf(at, sizeof(at), " at DIF offset %d", err->dteda_offset);
	fault_location(&c, location, sizeof(location));
	snprintf(message, len, "%s%s in %s%s%s%s", dtrace_faultstr(err->dteda_fault), addr, where,
		 at, location, why);
}

static int fault_tell(dtrace_hdl_t *dtp, dtrace_errdata_t *err, const char *what)
{
	const dtrace_probedesc_t *pd = err->dteda_pdesc;
	const struct dt_output *out = dt_output(dtp);
	char message[DTRACE_FULLNAMELEN + 1200];

	snprintf(message, sizeof(message),
		 "error on enabled probe ID %u (ID %u: %s:%s:%s:%s): %s\n",
		 err->dteda_edesc->dtepd_epid, err->dteda_edesc->dtepd_probeid, pd->dtpd_provider,
		 pd->dtpd_mod, pd->dtpd_func, pd->dtpd_name, what);
	err->dteda_msg = message;
	if (out->fault && out->fault(dtp, err) != 0)
		return -1;
	if (!dtp->handlers.err)
		return dt_set_error(dtp, EDT_HANDLER, "%.*s", (int)strcspn(message, "\n"), message);
	if (dtp->handlers.err(err, dtp->handlers.errarg) == DTRACE_HANDLE_ABORT)
		return dt_set_errno(dtp, EDT_HANDLER);
	return 0;
}

/* The record has arg1 to arg5 of ERROR: epid, action, offset, fault, address. */
int dt_fault_report(dtrace_hdl_t *dtp, const dt_eprobe_t *ep, const void *data, int cpu)
{
	const dt_eprobe_t *where;
	dtrace_errdata_t err;
	char what[1024];
	int64_t args[5];

	if (ep->desc.dtepd_nrecs != 5)
		return dt_set_errno(dtp, EDT_BADDATA);
	for (int i = 0; i < 5; i++)
		args[i] = dt_value_load((const char *)data + ep->recs[i].dtrd_offset,
					ep->recs[i].dtrd_size, true);
	where = dt_eprobe_find(dtp, args[0]);
	if (!where) /* the record is a process's, which can write anything */
		where = ep;
	err = (dtrace_errdata_t){
		.dteda_handle = dtp,
		.dteda_edesc = &where->desc,
		.dteda_pdesc = &where->desc.dtepd_desc,
		.dteda_cpu = cpu,
		.dteda_action = args[1],
		.dteda_offset = args[2],
		.dteda_fault = args[3],
		.dteda_addr = args[4],
	};
	fault_message(dtp, &err, what, sizeof(what));
	return fault_tell(dtp, &err, what);
}

int dt_fault_library(dtrace_hdl_t *dtp, const dtrace_probedata_t *probe, int act,
		     const char *detail)
{
	dtrace_errdata_t err = {
		.dteda_handle = dtp,
		.dteda_edesc = probe->dtpda_edesc,
		.dteda_pdesc = probe->dtpda_pdesc,
		.dteda_cpu = probe->dtpda_cpu,
		.dteda_action = act,
		.dteda_offset = -1,
		.dteda_fault = DTRACEFLT_LIBRARY,
	};

	return fault_tell(dtp, &err, detail);
}
