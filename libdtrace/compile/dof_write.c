// SPDX-License-Identifier: MIT
/*
 * dof_write.c - writes a program as DOF (dof.h), the form in which the device takes it. Sections
 * are collected with offsets from the start of the body. The size of the header and of the table of
 * sections is known last; then they are put in front, and the offsets moved.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../handle.h"

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

void *dt_dof_create(dtrace_hdl_t *dtp, const dtrace_prog_t *prog, size_t *size)
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
