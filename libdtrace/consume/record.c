/* SPDX-License-Identifier: MIT */
/*
 * record.c - the record of one firing: asks the caller's functions, then prints the data of each
 * statement or carries it out.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "output.h"

/* ---- values ---- */

int64_t dt_value_load(const void *p, size_t size, bool is_signed)
{
	uint64_t v = 0;

	memcpy(&v, p, size < sizeof(v) ? size : sizeof(v));
	if (is_signed && size < sizeof(v) && size > 0) {
		unsigned int shift = 64 - 8 * size;

		return (int64_t)(v << shift) >> shift;
	}
	return v;
}

static bool value_printable(unsigned char c)
{
	return c < 0x80 && (isprint(c) || isspace(c) || c == '\b' || c == '\a');
}

bool dt_value_text(const void *p, size_t size, size_t *len)
{
	const unsigned char *c = p;
	size_t n = strnlen(p, size);

	for (size_t i = 0; i < n; i++)
		if (!value_printable(c[i]))
			return false;
	for (size_t i = n; i < size; i++)
		if (c[i] != '\0')
			return false;
	*len = n;
	return n > 0;
}

/* ---- flow indentation ---- */

/* Of a CPU. */
struct dt_flow {
	int indent;
	dtrace_epid_t lastepid;
	dtrace_id_t lastid;
};

/* Return the state of flowindent for a CPU; NULL without memory, or if there is no such CPU. */
static struct dt_flow *flow_get(dtrace_hdl_t *dtp, int cpu)
{
	struct dt_session *se = dt_session(dtp);
	unsigned int n = dt_ncpus(dtp);

	if (!se->flow)
		se->flow = calloc(n != 0 ? n : 1, sizeof(*se->flow));
	return se->flow && (unsigned int)cpu < n ? &se->flow[cpu] : NULL;
}

/*
 * Return the kind of flow of a record. The arrow is at the first clause of an entry, and at the
 * last of a return. The other clauses of the firing are marked as within.
 */
static dtrace_flowkind_t flow_kind(const struct dt_print *pr, const struct dt_flow *fl)
{
	const dtrace_eprobedesc_t *desc = &pr->ep->desc;
	const dt_eprobe_t *next = dt_session(pr->dtp)->next;

	if (pr->ep->flow == DTRACEFLOW_ENTRY && fl->lastid == desc->dtepd_probeid &&
	    fl->lastepid < desc->dtepd_epid)
		return DTRACEFLOW_NONE;
	if (pr->ep->flow == DTRACEFLOW_RETURN && next &&
	    next->desc.dtepd_probeid == desc->dtepd_probeid &&
	    next->desc.dtepd_epid > desc->dtepd_epid)
		return DTRACEFLOW_NONE;
	return pr->ep->flow;
}

/* Set arrow and indentation of a record, and the CPU's for the next, if option flowindent is on. */
static void flow_set(struct dt_print *pr)
{
	static const char *const arrows[][2] = {
		[DTRACEFLOW_ENTRY] = {" -> ", " => "},
		[DTRACEFLOW_RETURN] = {" <- ", " <= "},
		[DTRACEFLOW_NONE] = {"| ", "| "},
	};
	dtrace_probedata_t *data = &pr->data;
	struct dt_flow *fl;

	data->dtpda_flow = DTRACEFLOW_NONE;
	data->dtpda_prefix = "";
	if (dt_option(pr->dtp, DTRACEOPT_FLOWINDENT) != 1)
		return;
	fl = flow_get(pr->dtp, data->dtpda_cpu);
	if (!fl)
		return;
	data->dtpda_flow = flow_kind(pr, fl);
	fl->lastid = pr->ep->desc.dtepd_probeid;
	fl->lastepid = pr->ep->desc.dtepd_epid;
	if (data->dtpda_flow == DTRACEFLOW_RETURN && fl->indent > 0)
		fl->indent -= 2;
	data->dtpda_indent = fl->indent;
	data->dtpda_prefix = arrows[data->dtpda_flow][pr->ep->syscall];
	if (data->dtpda_flow == DTRACEFLOW_ENTRY)
		fl->indent += 2;
}

const void *dt_part_data(const struct dt_print *pr, const dtrace_recdesc_t *rec)
{
	return pr->data.dtpda_data + rec->dtrd_offset;
}

/* ---- the parts of a record ---- */

/*
 * Return the action that made the i-th recording description of the statement. Actions that record
 * nothing have no description, and are skipped as the module does.
 */
static const dt_action_t *part_action(const struct dt_part *part, uint32_t i)
{
	for (uint32_t j = 0; j < part->stmt->nactions; j++) {
		const dt_action_t *act = &part->stmt->actions[j];

		if (act->kind == DTRACEACT_DIFEXPR && act->difo &&
		    act->difo->rtype.dtdt_kind == DIF_TYPE_CTF && act->difo->rtype.dtdt_size == 0)
			continue;
		if (i-- == 0)
			return act;
	}
	return NULL;
}

struct dt_arg dt_part_arg(const struct dt_print *pr, const struct dt_part *part, uint32_t i)
{
	const dt_action_t *act = part_action(part, i);
	struct dt_arg arg = {
		.rec = &part->rec[i], .data = dt_part_data(pr, &part->rec[i]), .normal = 1};

	if (act && act->difo) {
		arg.rtype = &act->difo->rtype;
		arg.type = act->difo->type;
	}
	return arg;
}

struct dt_arg *dt_part_args(const struct dt_print *pr, const struct dt_part *part, uint32_t *n)
{
	struct dt_arg *args = calloc(part->n + 1, sizeof(*args));

	*n = 0;
	if (!args)
		return NULL;
	for (uint32_t i = 0; i < part->n; i++) {
		args[*n] = dt_part_arg(pr, part, i);
		if (args[*n].rec->dtrd_size != 0)
			(*n)++;
	}
	return args;
}

/* Return the bytes of printm(). The word before them is their number. */
static const void *part_printm(const struct dt_print *pr, const struct dt_part *part, size_t *n)
{
	const uint8_t *data = dt_part_data(pr, part->rec);
	uint64_t count;

	memcpy(&count, data, sizeof(count));
	*n = part->rec->dtrd_size - sizeof(count);
	*n = count < *n ? (size_t)count : *n;
	return data + sizeof(count);
}

/*
 * Return how many bytes of a tracemem() are shown: the record's size, or less if the action says
 * so.
 */
static size_t part_tracemem(const struct dt_print *pr, const struct dt_part *part)
{
	const dtrace_recdesc_t *dyn = part->n > 1 ? &part->rec[1] : NULL;
	size_t size = part->rec->dtrd_size;
	int64_t valid = 0;

	if (dyn && dyn->dtrd_action == DTRACEACT_TRACEMEM_DYNSIZE)
		valid = dt_value_load(dt_part_data(pr, dyn), dyn->dtrd_size, true);
	return valid > 0 && (uint64_t)valid < size ? (size_t)valid : size;
}

const void *dt_part_memory(const struct dt_print *pr, const struct dt_part *part, size_t *n)
{
	if (part->rec->dtrd_action == DTRACEACT_PRINTM)
		return part_printm(pr, part, n);
	*n = part_tracemem(pr, part);
	return dt_part_data(pr, part->rec);
}

/* ---- statements that are carried out ---- */

/*
 * Return the text that a statement's format makes of its arguments, malloc'ed; NULL with the error
 * set.
 */
static char *record_text(struct dt_print *pr, const struct dt_part *part)
{
	uint32_t n;
	struct dt_arg *args = dt_part_args(pr, part, &n);
	char *text;

	if (!args) {
		dt_set_errno(pr->dtp, ENOMEM);
		return NULL;
	}
	text = dt_format_text(pr->dtp, part->stmt->format, args, n);
	free(args);
	return text;
}

/* Carry out system(): the form of output runs the command. Return 0 or -1 with the error set. */
static int record_system(struct dt_print *pr, const struct dt_part *part)
{
	char *command = record_text(pr, part);
	int err;

	if (!command)
		return -1;
	err = dt_output(pr->dtp)->system(pr, part, command);
	free(command);
	return err;
}

/*
 * Carry out freopen(): redirect the descriptor of the output to the end of a file; with an empty
 * name, to its first destination.
 */
static int record_freopen(struct dt_print *pr, const struct dt_part *part)
{
	struct dt_session *se = dt_session(pr->dtp);
	char *path = record_text(pr, part), text[512];
	int fd, out = !pr->con->mem ? fileno(pr->con->fp) : -1, err = 0;

	if (!path)
		return -1;
	fflush(pr->con->fp);
	if (out == -1) {
		err = dt_fault_library(pr->dtp, &pr->data, part->act,
				       "freopen() needs output to a file");
	} else if (*path == '\0') {
		if (se->outfd != -1 && dup2(se->outfd, out) == -1)
			err = dt_set_errno(pr->dtp, errno);
	} else if ((fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) == -1) {
		snprintf(text, sizeof(text), "couldn't freopen() \"%s\": %s", path,
			 strerror(errno));
		err = dt_fault_library(pr->dtp, &pr->data, part->act, text);
	} else {
		if (se->outfd == -1)
			se->outfd = fcntl(out, F_DUPFD_CLOEXEC, 3);
		if (dup2(fd, out) == -1)
			err = dt_set_errno(pr->dtp, errno);
		close(fd);
	}
	free(path);
	return err;
}

/* Carry out ftruncate(): remove the output so far. Pipes and terminals remain as they are. */
static int record_ftruncate(struct dt_print *pr)
{
	int out = !pr->con->mem ? fileno(pr->con->fp) : -1;

	fflush(pr->con->fp);
	if (out != -1 && ftruncate(out, 0) == 0)
		lseek(out, 0, SEEK_SET);
	return 0;
}

/* Carry out freopen() or ftruncate(). Forms that cannot rewind their output report a fault. */
static int record_file(struct dt_print *pr, const struct dt_part *part)
{
	if (!dt_output(pr->dtp)->rewinds)
		return dt_fault_library(pr->dtp, &pr->data, part->act,
					"freopen() and ftruncate() are for text output");
	return part->stmt->kind == DT_STMT_FREOPEN ? record_freopen(pr, part)
						   : record_ftruncate(pr);
}

/* Carry out clear(), trunc(), normalize() or denormalize(). Return 0 or -1 with the error set. */
static int record_agg(struct dt_print *pr, const struct dt_part *part)
{
	const dt_aggvar_t *var = part->stmt->naggs > 0 ? part->stmt->aggs[0] : NULL;
	int64_t num = part->rec->dtrd_size != 0 ? dt_value_load(dt_part_data(pr, part->rec),
								part->rec->dtrd_size, true)
						: 0;

	if (!var)
		return dt_set_errno(pr->dtp, EDT_BADDATA);
	switch (part->stmt->kind) {
	case DT_STMT_CLEAR:
		dt_agg_clear(pr->dtp, var);
		return 0;
	case DT_STMT_TRUNC:
		return dt_agg_trunc(pr->dtp, var, num);
	case DT_STMT_DENORMALIZE:
		dt_agg_normalize(pr->dtp, var, 1);
		return 0;
	default:
		if (num == 0)
			return dt_fault_library(pr->dtp, &pr->data, part->act,
						"normalization by zero");
		dt_agg_normalize(pr->dtp, var, num);
		return 0;
	}
}

/*
 * Carry out setopt(), and tell the caller. A refused value is a fault of the clause, not an error.
 */
static int record_setopt(struct dt_print *pr, const struct dt_part *part)
{
	dtrace_hdl_t *dtp = pr->dtp;
	dtrace_setoptdata_t data = {.dtsda_handle = dtp, .dtsda_probe = &pr->data};
	char name[64], val[64] = "", to[96] = "", message[512];
	int error;

	snprintf(name, sizeof(name), "%.*s", (int)part->rec->dtrd_size,
		 (const char *)dt_part_data(pr, part->rec));
	if (part->n > 1)
		snprintf(val, sizeof(val), "%.*s", (int)part->rec[1].dtrd_size,
			 (const char *)dt_part_data(pr, &part->rec[1]));
	data.dtsda_option = name;
	dtrace_getopt(dtp, name, &data.dtsda_oldval);
	if (dtrace_setopt(dtp, name, *val != '\0' ? val : NULL) != 0) {
		/* Programs expect the general message for the fault of an unknown name. */
		error = dtrace_errno(dtp);
		if (*val != '\0')
			snprintf(to, sizeof(to), " to \"%s\"", val);
		snprintf(message, sizeof(message), "couldn't set option \"%s\"%s: %s", name, to,
			 dtrace_errmsg(error == EDT_BADOPTNAME ? NULL : dtp, error));
		return dt_fault_library(dtp, &pr->data, part->act, message);
	}
	dtrace_getopt(dtp, name, &data.dtsda_newval);
	pr->quiet = dt_option(dtp, DTRACEOPT_QUIET) == 1;
	if (dtp->handlers.setopt &&
	    dtp->handlers.setopt(&data, dtp->handlers.setoptarg) == DTRACE_HANDLE_ABORT)
		return dt_set_errno(dtp, EDT_HANDLER);
	return 0;
}

/* Print or carry out one statement's part of a record. Return 0 or -1 with the error set. */
static int part_print(struct dt_print *pr, const struct dt_part *part)
{
	const struct dt_output *out = dt_output(pr->dtp);

	switch (part->stmt->kind) {
	case DT_STMT_TRACE:
		return out->trace(pr, part);
	case DT_STMT_PRINTM:
	case DT_STMT_TRACEMEM:
		return out->tracemem(pr, part);
	case DT_STMT_PRINT:
		return out->print(pr, part);
	case DT_STMT_PRINTF:
		return out->printf(pr, part);
	case DT_STMT_PRINTA:
		return out->printa(pr, part);
	case DT_STMT_SYSTEM:
		return record_system(pr, part);
	case DT_STMT_FREOPEN:
	case DT_STMT_FTRUNCATE:
		return record_file(pr, part);
	case DT_STMT_STACK:
	case DT_STMT_USTACK:
	case DT_STMT_JSTACK:
		return out->stack(pr, part);
	case DT_STMT_SYM:
	case DT_STMT_MOD:
	case DT_STMT_USYM:
	case DT_STMT_UMOD:
	case DT_STMT_UADDR:
		return out->symbol(pr, part);
	case DT_STMT_CLEAR:
	case DT_STMT_TRUNC:
	case DT_STMT_NORMALIZE:
	case DT_STMT_DENORMALIZE:
		return record_agg(pr, part);
	case DT_STMT_SETOPT:
		return record_setopt(pr, part);
	case DT_STMT_EXIT:
		return out->exit ? out->exit(pr, part) : 0;
	default:
		return 0;
	}
}

/* ---- the output and the functions of the caller ---- */

int dt_buffered_hand(dtrace_hdl_t *dtp, const dtrace_bufdata_t *data)
{
	if (!dtp->handlers.buffered)
		return dt_set_error(
			dtp, EDT_HANDLER,
			"output without a file needs a handler: dtrace_handle_buffered");
	if (dtp->handlers.buffered(data, dtp->handlers.bufarg) == DTRACE_HANDLE_ABORT)
		return dt_set_errno(dtp, EDT_HANDLER);
	return 0;
}

/* Pass buffered output to the handler, in parts. */
int dt_consumer_flush(dtrace_hdl_t *dtp, struct dt_consumer *con, const dtrace_aggdata_t *agg)
{
	struct dt_session *se = dt_session(dtp);
	dtrace_bufdata_t data = {.dtbda_handle = dtp,
				 .dtbda_probe = se->probe,
				 .dtbda_recdesc = se->rec,
				 .dtbda_aggdata = agg};

	if (ferror(con->fp))
		return dt_set_errno(dtp, errno != 0 ? errno : EIO);
	if (!con->mem)
		return 0;
	if (fflush(con->fp) == EOF)
		return dt_set_errno(dtp, errno);
	if (*con->memlen == 0)
		return 0;
	(*con->mem)[*con->memlen] = '\0'; /* behind it there is what was handed on before */
	data.dtbda_buffered = *con->mem;
	if (dt_buffered_hand(dtp, &data) != 0)
		return -1;
	rewind(con->fp);
	return fflush(con->fp) == EOF ? dt_set_errno(dtp, errno) : 0;
}

/* Ask the caller about rec (NULL: the end of the record); DTRACE_CONSUME_*. */
static int caller_rec(struct dt_print *pr, const dtrace_recdesc_t *rec)
{
	int rv;

	if (!pr->con->rfunc)
		return DTRACE_CONSUME_THIS;
	rv = pr->con->rfunc(&pr->data, rec, pr->con->arg);
	return rv == DTRACE_CONSUME_ERROR ? dt_set_errno(pr->dtp, EDT_HANDLER) : rv;
}

/*
 * Take a record apart: one part for each statement, first to the caller, then to the form of
 * output. Return 0, what the caller returned, or -1 with the error set.
 */
static int record_parts(struct dt_print *pr)
{
	const struct dt_output *out = dt_output(pr->dtp);
	const dtrace_recdesc_t *recs = pr->ep->recs;
	uint32_t n = pr->ep->desc.dtepd_nrecs, count;
	int rv;

	if (out->begin && out->begin(pr) != 0)
		return -1;
	for (uint32_t i = 0; i < n; i += count) {
		struct dt_part part = {.rec = &recs[i], .act = i + 1};

		for (count = 1; i + count < n && recs[i + count].dtrd_uarg == recs[i].dtrd_uarg;)
			count++;
		part.n = count;
		part.stmt = dt_stmt_find(pr->dtp, recs[i].dtrd_uarg);
		if (!part.stmt)
			return dt_set_error(pr->dtp, EDT_BADDATA,
					    "a record names a statement that no program has");
		dt_session(pr->dtp)->rec = &recs[i];
		rv = caller_rec(pr, &recs[i]);
		if (rv == DTRACE_CONSUME_THIS)
			rv = part_print(pr, &part);
		if (rv != 0 && rv != DTRACE_CONSUME_NEXT)
			return rv;
		if (pr->con->mem && dt_consumer_flush(pr->dtp, pr->con, NULL) != 0)
			return -1;
	}
	dt_session(pr->dtp)->rec = NULL;
	if (caller_rec(pr, NULL) == DTRACE_CONSUME_ERROR)
		return -1;
	return out->end ? out->end(pr) : 0;
}

int dt_record_print(dtrace_hdl_t *dtp, const dt_eprobe_t *ep, const struct dtrace_rechdr *rec,
		    int cpu, void *arg)
{
	struct dt_session *se = dt_session(dtp);
	struct dt_print pr = {
		.dtp = dtp,
		.con = arg,
		.ep = ep,
		.quiet = dt_option(dtp, DTRACEOPT_QUIET) == 1,
		.data =
			{
				.dtpda_handle = dtp,
				.dtpda_edesc = &ep->desc,
				.dtpda_pdesc = &ep->desc.dtepd_desc,
				.dtpda_cpu = cpu,
				.dtpda_data = (const char *)rec,
				.dtpda_timestamp = rec->dtrh_timestamp,
			},
	};
	int rv = DTRACE_CONSUME_THIS;

	if (ep->desc.dtepd_uarg != 0 && ep->desc.dtepd_uarg == se->errclause)
		return dt_fault_report(dtp, ep, rec, cpu);
	flow_set(&pr);
	se->probe = &pr.data;
	if (pr.con->pfunc)
		rv = pr.con->pfunc(&pr.data, pr.con->arg);
	if (rv == DTRACE_CONSUME_ERROR)
		dt_set_errno(dtp, EDT_HANDLER);
	if (rv == DTRACE_CONSUME_THIS)
		rv = record_parts(&pr);
	if (rv >= 0 && dt_consumer_flush(dtp, pr.con, NULL) != 0)
		rv = -1;
	se->probe = NULL;
	se->rec = NULL;
	return rv == DTRACE_CONSUME_NEXT ? 0 : rv;
}
