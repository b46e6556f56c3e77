/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * difo.c - makes DIFOs that may run from the sections of a DOF: a private copy of each, read and
 * verified when it is first needed.
 *
 * A section may be part of many DIFOs, so their total size is bounded by the reader's limit.
 */
#include "difo.h"
#include "dof_read.h"
#include "state.h"
#include "table.h"
#include "ustack.h"

#define DIFO_MAXLINKS 256 /* sections of a DIFO, including the consumer's */

static void difo_free(struct difo *difo)
{
	port_free(difo->text);
	port_free(difo->ints);
	port_free(difo->strs);
	port_free(difo->vars);
	port_free(difo);
}

void difo_free_list(struct difo *list)
{
	struct difo *d;

	while ((d = list)) {
		list = d->next;
		difo_free(d);
		port_relax(); /* there may be many; all of them must go */
	}
}

int difo_take(struct difo_reader *r, uint64_t n)
{
	int rc;

	if (n > r->left)
		return ERR(r->dof->err, -E2BIG,
			   "DOF: its programs take too much memory, %llu bytes "
			   "more than allowed for its size",
			   (unsigned long long)(n - r->left));
	rc = r->state ? state_charge(r->state, n, r->dof->err) : 0;
	if (!rc)
		r->left -= n;
	return rc;
}

/* Copy a whole section, whose size must be a multiple of unit. */
static int difo_copy(struct difo_reader *r, uint32_t index, const dof_sec_t *sec, size_t unit,
		     size_t max, void **out, uint32_t *count)
{
	struct dof_err *err = r->dof->err;
	int rc;

	if (*out)
		return ERR(err, -EINVAL, "DOF section %u: a DIFO has two sections of type %s",
			   index, dof_section_name(sec->dofs_type));
	if (sec->dofs_size % unit || sec->dofs_size > max)
		return ERR(err, -EINVAL,
			   "DOF section %u (%s): %llu bytes, allowed are multiples of %u up to %u",
			   index, dof_section_name(sec->dofs_type),
			   (unsigned long long)sec->dofs_size, (unsigned int)unit,
			   (unsigned int)max);
	rc = difo_take(r, sec->dofs_size);
	if (rc || !sec->dofs_size)
		return rc;
	*out = port_alloc(sec->dofs_size);
	if (!*out)
		return ERR(err, -ENOMEM, "no memory for a program of %llu bytes",
			   (unsigned long long)sec->dofs_size);
	memcpy(*out, r->dof->base + sec->dofs_offset, sec->dofs_size);
	*count = (uint32_t)(sec->dofs_size / unit);
	return 0;
}

/* Read one of the sections of a DIFO. */
static int difo_read_section(struct difo_reader *r, struct difo *d, uint32_t index)
{
	dof_sec_t sec;
	int rc;

	if (index >= r->dof->hdr.dofh_secnum)
		return ERR(r->dof->err, -EINVAL, "DIFO section %u: there is no section %u",
			   d->section, index);
	dof_section_any(r->dof, index, &sec);
	rc = dof_section(r->dof, index, sec.dofs_type, 0, &sec);
	if (rc)
		return rc;
	switch (sec.dofs_type) {
	case DOF_SECT_DIF:
		return difo_copy(r, index, &sec, sizeof(dif_instr_t),
				 DTRACE_DIFO_MAXINSTRS * sizeof(dif_instr_t), (void **)&d->text,
				 &d->len);
	case DOF_SECT_INTTAB:
		return difo_copy(r, index, &sec, sizeof(uint64_t), 65536 * sizeof(uint64_t),
				 (void **)&d->ints, &d->nints);
	case DOF_SECT_STRTAB:
		return difo_copy(r, index, &sec, 1, DTRACE_DIFO_MAXSTRTAB, (void **)&d->strs,
				 &d->nstrs);
	case DOF_SECT_VARTAB:
		return difo_copy(r, index, &sec, sizeof(dtrace_difv_t),
				 65536 * sizeof(dtrace_difv_t), (void **)&d->vars, &d->nvars);
	case DOF_SECT_KRELHDR:
	case DOF_SECT_URELHDR:
		return ERR(r->dof->err, -EINVAL,
			   "DIFO section %u: relocations (section %u) must be done by the linker",
			   d->section, index);
	default:
		return 0; /* types and the like: for the consumer */
	}
}

/* Read all sections of a DIFO. */
static int difo_read_sections(struct difo_reader *r, struct difo *d, const dof_sec_t *sec)
{
	uint64_t n = (sec->dofs_size - offsetof(dof_difohdr_t, dofd_links)) / sizeof(dof_secidx_t);
	const uint8_t *at = r->dof->base + sec->dofs_offset;
	dof_secidx_t index;
	int rc = 0;

	memcpy(&d->rtype, at + offsetof(dof_difohdr_t, dofd_rtype), sizeof(d->rtype));
	if (n > DIFO_MAXLINKS)
		return ERR(r->dof->err, -E2BIG,
			   "DIFO section %u: %llu sections, a DIFO may have %u", d->section,
			   (unsigned long long)n, DIFO_MAXLINKS);
	for (uint64_t i = 0; !rc && i < n; i++) {
		memcpy(&index, at + offsetof(dof_difohdr_t, dofd_links) + i * sizeof(index),
		       sizeof(index));
		if (index != DOF_SECIDX_NONE)
			rc = difo_read_section(r, d, index);
	}
	return rc;
}

/* Read and verify a DIFO. */
static int difo_read(struct difo_reader *r, struct difo *d, const dof_sec_t *sec)
{
	int rc = difo_read_sections(r, d, sec);

	if (!rc && r->helper)
		rc = helper_verify(d, r->dof->err);
	if (!rc)
		rc = dif_verify(d, r->vars, r->strsize, r->dof->err);
	if (!rc && d->nstrs && var_space_add_strings(r->vars, d->strs, d->nstrs, &d->strings) != 0)
		rc = ERR(r->dof->err, -ENOMEM, "no memory for the strings of a program");
	return rc;
}

/* Return the DIFO of a section if it has been read; otherwise NULL. */
static struct difo *difo_find(const struct difo_reader *r, dof_secidx_t index)
{
	uint32_t hash = hash_int(index);

	for (struct hnode *n = htable_first(&r->by_section, hash); n; n = htable_next(n))
		if (link_entry(n, struct difo, by_section)->section == index)
			return link_entry(n, struct difo, by_section);
	return NULL;
}

int difo_get(struct difo_reader *r, dof_secidx_t index, struct difo **out)
{
	struct difo *d;
	dof_sec_t sec;
	int rc;

	*out = difo_find(r, index);
	if (*out)
		return 0;
	rc = port_relax(); /* reading and verifying one may take milliseconds */
	if (!rc)
		rc = dof_section(r->dof, index, DOF_SECT_DIFOHDR, sizeof(dof_difohdr_t), &sec);
	if (!rc)
		rc = difo_take(r, sizeof(*d) + HTABLE_ENTRY);
	if (rc)
		return rc;
	d = port_alloc(sizeof(*d));
	if (!d)
		return ERR(r->dof->err, -ENOMEM, "no memory for a program");
	d->section = index;
	d->next = r->list;
	r->list = d;
	rc = difo_read(r, d, &sec);
	if (!rc && htable_insert(&r->by_section, &d->by_section, hash_int(index)) != 0)
		rc = ERR(r->dof->err, -ENOMEM, "no memory for a program");
	if (!rc)
		*out = d;
	return rc;
}

struct difo *difo_reader_end(struct difo_reader *r)
{
	htable_free(&r->by_section);
	return r->list;
}
