/* SPDX-License-Identifier: MIT */
/* program.c - programs: compiled, described, enabled in the module. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "consume/consume.h"
#include "pid/pid.h"

#define ERRMSG_LEN 1024

uint32_t dt_stmt_register(dtrace_hdl_t *dtp, dt_stmt_t *stmt)
{
	dt_stmt_t **more = realloc(dtp->stmts, (dtp->nstmts + 1) * sizeof(*more));

	if (!more) {
		dt_set_errno(dtp, ENOMEM);
		return 0;
	}
	dtp->stmts = more;
	more[dtp->nstmts++] = stmt;
	return dtp->nstmts;
}

dt_stmt_t *dt_stmt_find(dtrace_hdl_t *dtp, uint64_t id)
{
	return id >= 1 && id <= dtp->nstmts ? dtp->stmts[id - 1] : NULL;
}

void dt_programs_fini(dtrace_hdl_t *dtp)
{
	dtrace_prog_t *next;

	for (dtrace_prog_t *prog = dtp->progs; prog; prog = next) {
		next = prog->next;
		dt_prog_destroy(dtp, prog);
	}
	dtp->progs = NULL;
}

/* Print the instructions of a program to stderr. */
static void program_dis(const dtrace_prog_t *prog)
{
	for (const dt_clause_t *cl = prog->clauses; cl; cl = cl->next) {
		if (cl->predicate)
			dt_dis(cl->predicate, stderr);
		for (uint32_t i = 0; i < cl->nstmts; i++)
			for (uint32_t j = 0; j < cl->stmts[i]->nactions; j++)
				if (cl->stmts[i]->actions[j].difo)
					dt_dis(cl->stmts[i]->actions[j].difo, stderr);
	}
}

/* Return the flags of a call, including those that options have set. */
static uint32_t program_flags(dtrace_hdl_t *dtp, uint32_t cflags)
{
	static const struct {
		enum dt_copt opt;
		uint32_t flag;
	} map[] = {
		{DT_COPT_CPP, DTRACE_C_CPP},	 {DT_COPT_DEFAULTARGS, DTRACE_C_DEFARG},
		{DT_COPT_EMPTY, DTRACE_C_EMPTY}, {DT_COPT_NOLIBS, DTRACE_C_NOLIBS},
		{DT_COPT_PSPEC, DTRACE_C_PSPEC}, {DT_COPT_VERBOSE, DTRACE_C_DIFV},
		{DT_COPT_ZDEFS, DTRACE_C_ZDEFS},
	};

	for (size_t i = 0; i < sizeof(map) / sizeof(*map); i++)
		if (dtp->copts[map[i].opt])
			cflags |= map[i].flag;
	return cflags;
}

/* Compile text, and add the program to the end of the list. Return it, or NULL with an error. */
static dtrace_prog_t *program_compile(dtrace_hdl_t *dtp, const char *file, const char *text,
				      dtrace_probespec_t spec, uint32_t cflags, int argc,
				      char *const argv[])
{
	dtrace_prog_t *prog, **last = &dtp->progs;

	dt_set_errno(dtp, 0);
	prog = dt_compile(dtp, file, text, spec, program_flags(dtp, cflags), argc, argv);
	if (!prog)
		return NULL;
	while (*last && *last != prog)
		last = &(*last)->next;
	*last = prog;
	if (program_flags(dtp, cflags) & DTRACE_C_DIFV)
		program_dis(prog);
	return prog;
}

dtrace_prog_t *dtrace_program_strcompile(dtrace_hdl_t *dtp, const char *text,
					 dtrace_probespec_t spec, uint32_t cflags, int argc,
					 char *const argv[])
{
	return program_compile(dtp, NULL, text, spec, cflags, argc, argv);
}

/*
 * Return all text of fp, for the caller to free; NULL with an error, also if the text has a NUL
 * byte.
 */
static char *program_read(dtrace_hdl_t *dtp, FILE *fp)
{
	size_t size = 0, capacity = 0, got;
	char *text = NULL, *more;

	do {
		if (capacity - size < BUFSIZ) {
			capacity = capacity * 2 + 2 * BUFSIZ;
			more = realloc(text, capacity);
			if (!more)
				goto fail;
			text = more;
		}
		got = fread(text + size, 1, capacity - size - 1, fp);
		size += got;
	} while (got > 0);
	if (ferror(fp))
		goto fail;
	text[size] = '\0';
	if (strlen(text) != size) {
		free(text);
		dt_set_errmsg(dtp, "the program has a NUL byte: it is not a text");
		return NULL;
	}
	return text;
fail:
	dt_set_errno(dtp, errno);
	free(text);
	return NULL;
}

dtrace_prog_t *dtrace_program_fcompile(dtrace_hdl_t *dtp, FILE *fp, uint32_t cflags, int argc,
				       char *const argv[])
{
	char *text = program_read(dtp, fp);
	dtrace_prog_t *prog;

	if (!text)
		return NULL;
	prog = program_compile(dtp, argc > 0 ? argv[0] : "stdin", text, DTRACE_PROBESPEC_NONE,
			       cflags | DTRACE_C_CTL, argc, argv);
	free(text);
	return prog;
}

/* Return whether a statement is destructive. */
static bool stmt_destructive(const dt_stmt_t *stmt)
{
	for (uint32_t i = 0; i < stmt->nactions; i++)
		if (DTRACEACT_ISDESTRUCTIVE(stmt->actions[i].kind) ||
		    (stmt->actions[i].difo && stmt->actions[i].difo->destructive))
			return true;
	return false;
}

/* Return whether a program has a destructive statement. */
static bool program_destructive(const dtrace_prog_t *prog)
{
	for (const dt_clause_t *cl = prog->clauses; cl; cl = cl->next)
		for (uint32_t i = 0; i < cl->nstmts; i++)
			if (stmt_destructive(cl->stmts[i]))
				return true;
	return false;
}

/* Return whether a program has ustack helpers only, which would never fire. */
static bool program_only_helps(const dtrace_prog_t *prog)
{
	for (const dt_clause_t *cl = prog->clauses; cl; cl = cl->next)
		if (!cl->helper)
			return false;
	return prog->clauses;
}

/* Count a statement in info. */
static void count_stmt(const dt_stmt_t *stmt, dtrace_proginfo_t *info)
{
	switch (stmt->kind) {
	case DT_STMT_AGG:
		info->dpi_aggregates++;
		break;
	case DT_STMT_SPECULATE:
	case DT_STMT_COMMIT:
	case DT_STMT_DISCARD:
		info->dpi_speculations++;
		break;
	case DT_STMT_EXPR:
	case DT_STMT_STOP:
	case DT_STMT_RAISE:
	case DT_STMT_CHILL:
	case DT_STMT_PANIC:
	case DT_STMT_BREAKPOINT:
		break;
	default:
		info->dpi_recgens++;
	}
}

/* Lower *least to attr where attr is less. */
static void attr_min(dtrace_attribute_t *least, dtrace_attribute_t attr)
{
	if (attr.dtat_name < least->dtat_name)
		least->dtat_name = attr.dtat_name;
	if (attr.dtat_data < least->dtat_data)
		least->dtat_data = attr.dtat_data;
	if (attr.dtat_class < least->dtat_class)
		least->dtat_class = attr.dtat_class;
}

/* Count a probe in info: a dtrace_probe_f. */
static int count_probe(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, void *arg)
{
	dtrace_proginfo_t *info = arg;

	(void)dtp;
	(void)desc;
	info->dpi_matches++;
	return 0;
}

/* Count a description and its probes in info: a function for dtrace_program_descs(). */
static int count_desc(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, void *arg)
{
	dtrace_proginfo_t *info = arg;

	attr_min(&info->dpi_descattr, dt_desc_stability(dtp, desc));
	dtrace_probe_iter(dtp, desc, count_probe, arg);
	return 0;
}

void dtrace_program_info(dtrace_hdl_t *dtp, dtrace_prog_t *prog, dtrace_proginfo_t *info)
{
	static const dtrace_attribute_t most = {DTRACE_STABILITY_MAX, DTRACE_STABILITY_MAX,
						DTRACE_CLASS_MAX};

	memset(info, 0, sizeof(*info));
	info->dpi_descattr = info->dpi_stmtattr = most;
	for (const dt_clause_t *cl = prog->clauses; cl; cl = cl->next) {
		attr_min(&info->dpi_stmtattr, cl->stmtattr);
		for (uint32_t i = 0; i < cl->nstmts; i++)
			count_stmt(cl->stmts[i], info);
	}
	dtrace_program_descs(dtp, prog, count_desc, info);
}

int dtrace_program_descs(dtrace_hdl_t *dtp, dtrace_prog_t *prog,
			 int (*func)(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, void *arg),
			 void *arg)
{
	for (const dt_clause_t *cl = prog->clauses; cl; cl = cl->next)
		for (uint32_t i = 0; i < cl->ndescs; i++) {
			int rv = func(dtp, &cl->descs[i], arg);

			if (rv != 0)
				return rv;
		}
	return 0;
}

void *dtrace_dof_create(dtrace_hdl_t *dtp, dtrace_prog_t *prog, size_t *size)
{
	return dt_dof_create(dtp, prog, size);
}

/* Set the error for an errno of ENABLE; message is the module's, or "". Return -1. */
static int program_refused(dtrace_hdl_t *dtp, const dtrace_prog_t *prog, int err,
			   const char *message)
{
	if (err == EBUSY)
		return dt_set_errno(dtp, EDT_ACTIVE);
	if (err == EPERM && program_destructive(prog) && dt_option(dtp, DTRACEOPT_DESTRUCTIVE) != 1)
		return dt_set_errno(dtp, EDT_DESTRUCTIVE);
	if (*message != '\0')
		return dt_set_error(dtp, EDT_BADDOF, "%s", message);
	if (err == EINVAL)
		return dt_set_errno(dtp, EDT_BADDOF);
	return dt_set_errno(dtp, err);
}

/*
 * Enable DOF, and set *matched to the number of probes that match. Return 0, or -1 with an error.
 */
static int program_enable(dtrace_hdl_t *dtp, const dtrace_prog_t *prog, const void *dof,
			  uint32_t *matched)
{
	char errmsg[ERRMSG_LEN] = "";
	dtrace_enable_io_t io = {.dofp = (uintptr_t)dof,
				 .error_desc = -1,
				 .errmsg = (uintptr_t)errmsg,
				 .errmsg_len = sizeof(errmsg)};

	if (dt_world_request(dtp, DTRACEIOC_ENABLE, &io) == 0) {
		*matched = io.n_matched;
		return 0;
	}
	if (dtp->world) {
		int err = errno;

		errmsg[sizeof(errmsg) - 1] = '\0';
		program_refused(dtp, prog, err, errmsg);
	}
	return -1;
}

int dtrace_program_exec(dtrace_hdl_t *dtp, dtrace_prog_t *prog, dtrace_proginfo_t *info)
{
	uint32_t matched;
	size_t size;
	void *dof;
	int rv;

	if (program_destructive(prog) && dt_option(dtp, DTRACEOPT_DESTRUCTIVE) != 1)
		return dt_set_errno(dtp, EDT_DESTRUCTIVE);
	if (program_only_helps(prog))
		return dt_set_error(
			dtp, EDT_BADDOF,
			"its clauses are all of dtrace:helper: dtrace -G puts them into a "
			"program, where jstack() uses them");
	dof = dt_dof_create(dtp, prog, &size);
	if (!dof)
		return -1;
	dt_debug(dtp, "program of %zu bytes of DOF goes to the module", size);
	rv = program_enable(dtp, prog, dof, &matched);
	free(dof);
	if (rv != 0 || dt_pid_report_failed(dtp) != 0)
		return -1;
	if (info) {
		*info = (dtrace_proginfo_t){.dpi_matches = matched};
		for (const dt_clause_t *cl = prog->clauses; cl; cl = cl->next)
			for (uint32_t i = 0; i < cl->nstmts; i++)
				count_stmt(cl->stmts[i], info);
	}
	return 0;
}

int dt_error_program(dtrace_hdl_t *dtp)
{
	static const char source[] =
		"dtrace:::ERROR{trace(arg1);trace(arg2);trace(arg3);trace(arg4);trace(arg5);}";
	struct dt_session *se = dt_session(dtp);
	dtrace_prog_t *prog;

	if (!se)
		return -1;
	if (se->errclause != 0)
		return 0;
	prog = dt_compile(dtp, NULL, source, DTRACE_PROBESPEC_NAME, DTRACE_C_NOLIBS, 0, NULL);
	if (!prog)
		return -1;
	if (dtrace_program_exec(dtp, prog, NULL) == 0)
		se->errclause = prog->clauses->id;
	prog->next = dtp->progs;
	dtp->progs = prog;
	return se->errclause != 0 ? 0 : -1;
}
