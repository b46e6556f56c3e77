/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * helper_program.c - ustack helpers as a process registers them: clauses of dtrace:helper:ustack:
 * in its DOF, which may be hostile.
 *
 * They consist of expressions only, and use only the DIF that dtrace/helper_dif.h allows.
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

/* Read the statements of a clause. */
static int helper_read_stmts(struct helper_reader *r, dof_secidx_t index, struct helper_clause *c)
{
	dof_actdesc_t ad;
	dof_sec_t sec;
	uint64_t n;
	int rc = dof_section(r->dof, index, DOF_SECT_ACTDESC, 0, &sec);

	if (rc)
		return rc;
	n = dof_entries(&sec, sizeof(ad));
	if (n > DTRACE_UHELP_MAXSTMTS - r->program->nstmts)
		return ERR(r->dof->err, -E2BIG, "DOF: helpers of more than %u statements",
			   DTRACE_UHELP_MAXSTMTS);
	c->stmts = port_alloc((n + 1) * sizeof(*c->stmts));
	if (!c->stmts)
		return ERR(r->dof->err, -ENOMEM, "no memory for a helper");
	r->program->nstmts += (uint32_t)n;
	for (; !rc && c->nstmts < n; c->nstmts++) {
		dof_entry(r->dof, &sec, c->nstmts, &ad, sizeof(ad));
		if (ad.dofa_kind != DTRACEACT_DIFEXPR || ad.dofa_difo == DOF_SECIDX_NONE)
			rc = ERR(r->dof->err, -EINVAL,
				 "helper: action %u has kind 0x%x, only expressions are allowed",
				 c->nstmts + 1, ad.dofa_kind);
		else
			rc = helper_get_difo(r, ad.dofa_difo, &c->stmts[c->nstmts]);
	}
	return rc;
}

/*
 * Read an ECB section, if it is a clause for helpers. Clauses for probes may be in the same file,
 * but a process must not have any. Two descriptions of one clause would run it twice, so each
 * description is a clause of its own.
 */
static int helper_read_ecb(struct helper_reader *r, uint32_t index)
{
	struct helper_clause *c;
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
	if (r->program->nclauses == DTRACE_UHELP_MAXCLAUSES)
		return ERR(r->dof->err, -E2BIG, "DOF: helpers of more than %u clauses",
			   DTRACE_UHELP_MAXCLAUSES);
	c = &r->program->clauses[r->program->nclauses++];
	if (ed.dofe_pred != DOF_SECIDX_NONE)
		rc = helper_get_difo(r, ed.dofe_pred, &c->pred);
	if (!rc && ed.dofe_actions != DOF_SECIDX_NONE)
		rc = helper_read_stmts(r, ed.dofe_actions, c);
	return rc;
}

static bool helper_is_ecb(const dof_sec_t *sec)
{
	return sec->dofs_type == DOF_SECT_ECBDESC && sec->dofs_flags & DOF_SECF_LOAD;
}

bool helper_program_any(const struct dof *dof)
{
	dof_sec_t sec;

	for (uint32_t i = 0; i < dof->hdr.dofh_secnum; i++) {
		dof_section_any(dof, i, &sec);
		if (helper_is_ecb(&sec))
			return true;
	}
	return false;
}

int helper_program_read(const struct dof *dof, struct dtrace_helper_program **out, uint64_t *bytes)
{
	struct dtrace_helper_program *p;
	struct helper_reader r;
	dof_sec_t sec;
	int rc = 0;

	*out = NULL;
	*bytes = 0;
	if (!helper_program_any(dof))
		return 0;
	p = port_alloc(sizeof(*p));
	if (!p)
		goto nomem;
	p->clauses = port_alloc(DTRACE_UHELP_MAXCLAUSES * sizeof(*p->clauses));
	if (!p->clauses)
		goto nomem;
	r = (struct helper_reader){
		.dof = dof,
		.program = p,
		.difos = {.dof = dof,
			  .vars = &p->vars,
			  .strsize = DTRACE_UHELP_STRSIZE,
			  .helper = true,
			  .left = DTRACE_UHELP_MAXBYTES},
	};
	for (uint32_t i = 0; !rc && i < dof->hdr.dofh_secnum; i++) {
		rc = relax_at(i);
		dof_section_any(dof, i, &sec);
		if (!rc && helper_is_ecb(&sec))
			rc = helper_read_ecb(&r, i);
	}
	p->difos = difo_reader_end(&r.difos);
	if (!rc && p->nclauses) {
		*bytes = DTRACE_UHELP_MAXBYTES - r.difos.left +
			 DTRACE_UHELP_MAXCLAUSES * sizeof(*p->clauses) + var_space_bytes(&p->vars);
		*out = p;
		return 0;
	}
	helper_program_free(p);
	return rc;
nomem:
	port_free(p);
	return ERR(dof->err, -ENOMEM, "no memory for a helper");
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
