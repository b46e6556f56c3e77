/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * helper_program.c - ustack helpers as a process registers them: clauses of dtrace:helper:ustack:
 * in its DOF, which anybody may have written.
 *
 * They are expressions only, and of DIF only what dtrace/helper_dif.h says.
 */
#include "difo.h"
#include "dof_read.h"
#include "ustack.h"
#include "var.h"
#include <dtrace/helper_dif.h>

#define REFUSE(difo, pc, fmt, ...)                                                               \
	ERR(err, -EINVAL, "DIFO section %u, instruction %u (0x%08x): " fmt, (difo)->section, pc, \
	    (difo)->text[pc], __VA_ARGS__)

struct helper_reader {
	const struct dof *dof;
	struct dtrace_helper_program *program;
	struct difo_reader difos;
};

int helper_verify(const struct difo *difo, struct dof_err *err)
{
	if (difo->nvars > DTRACE_UHELP_MAXVARS)
		return ERR(err, -E2BIG, "DIFO section %u: %u variables, a helper's may have %u",
			   difo->section, difo->nvars, DTRACE_UHELP_MAXVARS);
	for (uint32_t pc = 0; pc < difo->len; pc++) {
		const char *why = dtrace_helper_objection(difo->text[pc]);

		if (why)
			return REFUSE(difo, pc, "%s", why);
	}
	return 0;
}

/* ---- clauses ---- */

static int helper_get_difo(struct helper_reader *r, dof_secidx_t index, const struct difo **out)
{
	struct difo *difo;
	int rc = difo_get(&r->difos, index, &difo);

	if (rc)
		return rc;
	*out = difo;
	r->program->strtok |= difo->strtok;
	r->program->ninstrs += difo->len;
	if (r->program->ninstrs > DTRACE_UHELP_MAXINSTRS)
		return ERR(r->dof->err, -E2BIG, "DOF: helpers of more than %u instructions",
			   DTRACE_UHELP_MAXINSTRS);
	if (r->program->vars.scopes[DIFV_SCOPE_LOCAL].bytes > DTRACE_UHELP_MAXLOCALS)
		return ERR(r->dof->err, -E2BIG, "DOF: helpers with more than %u bytes of variables",
			   DTRACE_UHELP_MAXLOCALS);
	return 0;
}

static int helper_read_stmt(struct helper_reader *r, const dof_sec_t *sec, uint32_t n,
			    const struct difo **out)
{
	dof_actdesc_t ad;

	dof_entry(r->dof, sec, n, &ad, sizeof(ad));
	if (ad.dofa_kind != DTRACEACT_DIFEXPR || ad.dofa_difo == DOF_SECIDX_NONE)
		return ERR(r->dof->err, -EINVAL,
			   "helper: action %u has kind 0x%x, only expressions are allowed", n + 1,
			   ad.dofa_kind);
	return helper_get_difo(r, ad.dofa_difo, out);
}

static int helper_read_stmts(struct helper_reader *r, dof_secidx_t index, struct helper_clause *c)
{
	dof_sec_t sec;
	uint64_t n;
	int rc = dof_section(r->dof, index, DOF_SECT_ACTDESC, 0, &sec);

	if (rc)
		return rc;
	n = dof_entries(&sec, sizeof(dof_actdesc_t));
	if (n > DTRACE_UHELP_MAXSTMTS - r->program->nstmts)
		return ERR(r->dof->err, -E2BIG, "DOF: helpers of more than %u statements",
			   DTRACE_UHELP_MAXSTMTS);
	c->stmts = port_alloc((n + 1) * sizeof(*c->stmts));
	if (!c->stmts)
		return ERR(r->dof->err, -ENOMEM, "no memory for a helper");
	r->program->nstmts += (uint32_t)n;
	for (; !rc && c->nstmts < n; c->nstmts++)
		rc = helper_read_stmt(r, &sec, c->nstmts, &c->stmts[c->nstmts]);
	return rc;
}

/*
 * Read a clause. Two descriptions of one clause would run it twice, so each description is a clause
 * of its own.
 */
static int helper_read_clause(struct helper_reader *r, const dof_ecbdesc_t *ed)
{
	struct helper_clause *c = &r->program->clauses[r->program->nclauses];
	int rc = 0;

	if (r->program->nclauses == DTRACE_UHELP_MAXCLAUSES)
		return ERR(r->dof->err, -E2BIG, "DOF: helpers of more than %u clauses",
			   DTRACE_UHELP_MAXCLAUSES);
	r->program->nclauses++;
	if (ed->dofe_pred != DOF_SECIDX_NONE)
		rc = helper_get_difo(r, ed->dofe_pred, &c->pred);
	if (!rc && ed->dofe_actions != DOF_SECIDX_NONE)
		rc = helper_read_stmts(r, ed->dofe_actions, c);
	return rc;
}

/*
 * Read an ECB section, if it is a clause for helpers. Clauses for probes may be in the same file,
 * but a process must not have any.
 */
static int helper_read_ecb(struct helper_reader *r, uint32_t index)
{
	dtrace_probedesc_t desc;
	dof_ecbdesc_t ed;
	dof_sec_t sec;
	int rc = dof_section(r->dof, index, DOF_SECT_ECBDESC, sizeof(ed), &sec);

	if (rc)
		return rc;
	memcpy(&ed, r->dof->base + sec.dofs_offset, sizeof(ed));
	memset(&desc, 0, sizeof(desc));
	rc = dof_probedesc(r->dof, ed.dofe_probes, &desc);
	if (rc || strcmp(desc.dtpd_provider, "dtrace") != 0 || strcmp(desc.dtpd_mod, "helper") != 0)
		return rc;
	if (strcmp(desc.dtpd_func, "ustack") != 0 || desc.dtpd_name[0])
		return ERR(r->dof->err, -EINVAL,
			   "DOF section %u: there are no helpers dtrace:helper:%.64s:%.64s", index,
			   desc.dtpd_func, desc.dtpd_name);
	return helper_read_clause(r, &ed);
}

static int helper_read_ecbs(struct helper_reader *r)
{
	dof_sec_t sec;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < r->dof->hdr.dofh_secnum; i++) {
		rc = relax_at(i);
		dof_section_any(r->dof, i, &sec);
		if (!rc && sec.dofs_type == DOF_SECT_ECBDESC && sec.dofs_flags & DOF_SECF_LOAD)
			rc = helper_read_ecb(r, i);
	}
	return rc;
}

bool helper_program_any(const struct dof *dof)
{
	dof_sec_t sec;

	for (uint32_t i = 0; i < dof->hdr.dofh_secnum; i++) {
		dof_section_any(dof, i, &sec);
		if (sec.dofs_type == DOF_SECT_ECBDESC && sec.dofs_flags & DOF_SECF_LOAD)
			return true;
	}
	return false;
}

static struct dtrace_helper_program *helper_program_alloc(void)
{
	struct dtrace_helper_program *p = port_alloc(sizeof(*p));

	if (!p)
		return NULL;
	p->clauses = port_alloc(DTRACE_UHELP_MAXCLAUSES * sizeof(*p->clauses));
	if (!p->clauses) {
		port_free(p);
		return NULL;
	}
	return p;
}

static int helper_program_fill(const struct dof *dof, struct dtrace_helper_program *p,
			       uint64_t *bytes)
{
	struct helper_reader r = {
		.dof = dof,
		.program = p,
		.difos = {.dof = dof,
			  .vars = &p->vars,
			  .strsize = DTRACE_UHELP_STRSIZE,
			  .helper = true,
			  .left = DTRACE_UHELP_MAXBYTES},
	};
	int rc = helper_read_ecbs(&r);

	p->difos = difo_reader_end(&r.difos);
	*bytes = DTRACE_UHELP_MAXBYTES - r.difos.left +
		 DTRACE_UHELP_MAXCLAUSES * sizeof(*p->clauses) + var_space_bytes(&p->vars);
	return rc;
}

int helper_program_read(const struct dof *dof, struct dtrace_helper_program **out, uint64_t *bytes)
{
	struct dtrace_helper_program *p;
	int rc;

	*out = NULL;
	*bytes = 0;
	if (!helper_program_any(dof))
		return 0;
	p = helper_program_alloc();
	if (!p)
		return ERR(dof->err, -ENOMEM, "no memory for a helper");
	rc = helper_program_fill(dof, p, bytes);
	if (!rc && p->nclauses) {
		*out = p;
		return 0;
	}
	*bytes = 0;
	helper_program_free(p);
	return rc;
}

void helper_program_free(struct dtrace_helper_program *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->nclauses; i++)
		port_free(p->clauses[i].stmts);
	port_free(p->clauses);
	difo_free_list(p->difos);
	var_space_free(&p->vars);
	port_free(p);
}
