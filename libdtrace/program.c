/* SPDX-License-Identifier: MIT */
/* program.c - programs: compiled, described, written as DOF, enabled in the world. */
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

/* ---- what is in a program ---- */

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

/*
 * ---- programs as DOF (dof.h), the form in which the device takes them ----
 *
 * Sections are collected with offsets from the start of the body. The size of the header and of the
 * table of sections is known last; then they are put in front, and the offsets moved.
 */

struct buf {
	uint8_t *data;
	size_t len, capacity;
};

struct writer {
	struct buf secs; /* dof_sec_t[] */
	struct buf body;
	bool nomem;
};

static size_t buf_add(struct writer *w, struct buf *b, const void *data, size_t size)
{
	size_t at = b->len;

	if (b->len + size > b->capacity) {
		size_t capacity = (b->len + size) * 2 + 256;
		uint8_t *grown = realloc(b->data, capacity);

		if (!grown) {
			w->nomem = true;
			return 0;
		}
		b->data = grown;
		b->capacity = capacity;
	}
	if (size > 0)
		memcpy(b->data + b->len, data, size);
	b->len += size;
	return at;
}

static void buf_align(struct writer *w, struct buf *b, size_t align)
{
	static const uint8_t zeros[8];

	buf_add(w, b, zeros, -b->len & (align - 1));
}

static dof_secidx_t sec_add(struct writer *w, uint32_t type, uint32_t align, uint32_t entsize,
			    const void *data, size_t size)
{
	dof_sec_t sec = {
		.dofs_type = type,
		.dofs_align = align,
		.dofs_flags = DOF_SECF_LOAD,
		.dofs_entsize = entsize,
		.dofs_size = size,
	};

	buf_align(w, &w->body, align);
	sec.dofs_offset = buf_add(w, &w->body, data, size);
	return buf_add(w, &w->secs, &sec, sizeof(sec)) / sizeof(sec);
}

static dof_secidx_t difo_add(struct writer *w, const dt_difo_t *d)
{
	struct {
		dtrace_diftype_t rtype;
		dof_secidx_t links[4];
	} hdr = {.rtype = d->rtype};
	unsigned int n = 0;

	hdr.links[n++] = sec_add(w, DOF_SECT_DIF, 4, sizeof(dif_instr_t), d->text,
				 d->len * sizeof(*d->text));
	if (d->intlen > 0)
		hdr.links[n++] = sec_add(w, DOF_SECT_INTTAB, 8, sizeof(uint64_t), d->inttab,
					 d->intlen * sizeof(*d->inttab));
	if (d->strlen > 0)
		hdr.links[n++] = sec_add(w, DOF_SECT_STRTAB, 1, 0, d->strtab, d->strlen);
	if (d->varlen > 0)
		hdr.links[n++] = sec_add(w, DOF_SECT_VARTAB, 4, sizeof(dtrace_difv_t), d->vartab,
					 d->varlen * sizeof(*d->vartab));
	return sec_add(w, DOF_SECT_DIFOHDR, 4, 0, &hdr,
		       sizeof(hdr.rtype) + n * sizeof(hdr.links[0]));
}

static void action_add(struct writer *w, struct buf *acts, const dt_action_t *a, uint32_t uarg)
{
	dof_actdesc_t act = {
		.dofa_difo = a->difo ? difo_add(w, a->difo) : DOF_SECIDX_NONE,
		.dofa_strtab = DOF_SECIDX_NONE,
		.dofa_kind = a->kind,
		.dofa_ntuple = a->ntuple,
		.dofa_arg = a->arg,
		.dofa_uarg = uarg,
	};

	buf_add(w, acts, &act, sizeof(act));
}

static dof_secidx_t actions_add(struct writer *w, const dt_clause_t *clause)
{
	dof_secidx_t sec = DOF_SECIDX_NONE;
	struct buf acts = {0};

	for (uint32_t i = 0; i < clause->nstmts; i++) {
		const dt_stmt_t *stmt = clause->stmts[i];

		for (uint32_t j = 0; j < stmt->nactions; j++)
			action_add(w, &acts, &stmt->actions[j], stmt->id);
	}
	if (acts.len > 0)
		sec = sec_add(w, DOF_SECT_ACTDESC, 8, sizeof(dof_actdesc_t), acts.data, acts.len);
	free(acts.data);
	return sec;
}

static dof_stridx_t name_add(struct writer *w, struct buf *names, const char *name)
{
	return name[0] != '\0' ? buf_add(w, names, name, strlen(name) + 1) : 0;
}

static dof_secidx_t probedesc_add(struct writer *w, const dtrace_probedesc_t *pd)
{
	struct buf names = {0};
	dof_probedesc_t desc;

	buf_add(w, &names, "", 1);
	desc.dofp_provider = name_add(w, &names, pd->dtpd_provider);
	desc.dofp_mod = name_add(w, &names, pd->dtpd_mod);
	desc.dofp_func = name_add(w, &names, pd->dtpd_func);
	desc.dofp_name = name_add(w, &names, pd->dtpd_name);
	desc.dofp_id = pd->dtpd_id;
	desc.dofp_strtab = sec_add(w, DOF_SECT_STRTAB, 1, 0, names.data, names.len);
	free(names.data);
	return sec_add(w, DOF_SECT_PROBEDESC, 4, 0, &desc, sizeof(desc));
}

static void clause_add(struct writer *w, const dt_clause_t *clause)
{
	dof_ecbdesc_t ecb = {
		.dofe_pred = clause->predicate ? difo_add(w, clause->predicate) : DOF_SECIDX_NONE,
		.dofe_actions = actions_add(w, clause),
		.dofe_uarg = clause->id,
	};

	for (uint32_t i = 0; i < clause->ndescs; i++) {
		ecb.dofe_probes = probedesc_add(w, &clause->descs[i]);
		sec_add(w, DOF_SECT_ECBDESC, 8, 0, &ecb, sizeof(ecb));
	}
}

static void options_add(struct writer *w, dtrace_hdl_t *dtp)
{
	dof_optdesc_t opts[DTRACEOPT_MAX];
	size_t n = 0;

	for (int i = 0; i < DTRACEOPT_MAX; i++) {
		dtrace_optval_t value = dt_option(dtp, i);

		if (value != DTRACEOPT_UNSET)
			opts[n++] = (dof_optdesc_t){.dofo_option = i,
						    .dofo_strtab = DOF_SECIDX_NONE,
						    .dofo_value = value};
	}
	if (n > 0)
		sec_add(w, DOF_SECT_OPTDESC, 8, sizeof(opts[0]), opts, n * sizeof(opts[0]));
}

static void header_init(dof_hdr_t *h, const struct writer *w, size_t start)
{
	memset(h, 0, sizeof(*h));
	memcpy(h->dofh_ident, DOF_MAG_STRING, 4);
	h->dofh_ident[DOF_ID_MODEL] = DOF_MODEL_LP64;
	h->dofh_ident[DOF_ID_ENCODING] = DOF_ENCODE_LSB;
	h->dofh_ident[DOF_ID_VERSION] = DOF_VERSION;
	h->dofh_ident[DOF_ID_DIFVERS] = DIF_VERSION;
	h->dofh_ident[DOF_ID_DIFIREG] = DIF_DIR_NREGS;
	h->dofh_ident[DOF_ID_DIFTREG] = DIF_DTR_NREGS;
	h->dofh_hdrsize = sizeof(*h);
	h->dofh_secsize = sizeof(dof_sec_t);
	h->dofh_secnum = w->secs.len / sizeof(dof_sec_t);
	h->dofh_secoff = sizeof(*h);
	h->dofh_loadsz = h->dofh_filesz = start + w->body.len;
}

/*
 * Copy header, table and body into one block. The body begins at a multiple of 8, so its alignments
 * are right.
 */
static void *assemble(struct writer *w, size_t *size)
{
	size_t start = sizeof(dof_hdr_t) + w->secs.len;
	dof_sec_t *secs = (dof_sec_t *)w->secs.data;
	uint8_t *dof = malloc(start + w->body.len);

	if (!dof)
		return NULL;
	header_init((dof_hdr_t *)dof, w, start);
	for (size_t i = 0; i < w->secs.len / sizeof(*secs); i++)
		secs[i].dofs_offset += start;
	if (w->secs.len > 0)
		memcpy(dof + sizeof(dof_hdr_t), secs, w->secs.len);
	if (w->body.len > 0)
		memcpy(dof + start, w->body.data, w->body.len);
	*size = start + w->body.len;
	return dof;
}

void *dtrace_dof_create(dtrace_hdl_t *dtp, dtrace_prog_t *prog, size_t *size)
{
	struct writer w = {0};
	void *dof = NULL;

	options_add(&w, dtp);
	for (const dt_clause_t *c = prog->clauses; c; c = c->next)
		clause_add(&w, c);
	if (!w.nomem)
		dof = assemble(&w, size);
	free(w.secs.data);
	free(w.body.data);
	if (!dof)
		dt_set_errno(dtp, ENOMEM);
	return dof;
}

/* ---- enabling ---- */

/* Set the error for an errno of ENABLE; message is the world's, or "". Return -1. */
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
	dof = dtrace_dof_create(dtp, prog, &size);
	if (!dof)
		return -1;
	dt_debug(dtp, "program of %zu bytes of DOF goes to the world", size);
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
