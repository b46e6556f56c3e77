/* SPDX-License-Identifier: MIT */
/*
 * dof_decl.c - the declarations of a provider file as DOF.
 *
 * One string table for all providers, then four sections each:
 *
 *	STRTAB | PROBES PRARGS PROFFS PROVIDER | PROBES PRARGS PROFFS PROVIDER | ...
 *
 * PROFFS is empty: drti adds the sites when the program starts.
 */
#include <stdlib.h>
#include <string.h>
#include <dtrace/dof.h>
#include "dof_decl.h"

#define SECTIONS_PER_PROVIDER 4

struct dof_writer {
	struct bytes *dof;
	size_t start; /* of the DOF in dof: what offsets count from */
	unsigned int nsections;
	struct bytes strings;
};

/*
 * Return table entry i. Call it for each use, because the table may move when sections are
 * appended.
 */
static dof_sec_t *writer_section(struct dof_writer *w, unsigned int i)
{
	return (dof_sec_t *)(w->dof->data + w->start + sizeof(dof_hdr_t)) + i;
}

static void writer_add(struct dof_writer *w, unsigned int i, uint32_t type, uint32_t align,
		       uint32_t entsize, const struct bytes *content)
{
	dof_sec_t *section;
	size_t at;

	bytes_align(w->dof, 8);
	at = bytes_add(w->dof, content->data, content->len);
	if (w->dof->failed || content->failed) {
		w->dof->failed = true;
		return;
	}
	section = writer_section(w, i);
	section->dofs_type = type;
	section->dofs_align = align;
	section->dofs_flags = DOF_SECF_LOAD;
	section->dofs_entsize = entsize;
	section->dofs_offset = at - w->start;
	section->dofs_size = content->len;
}

static dof_stridx_t add_types(struct dof_writer *w, const struct provider_arg *args,
			      unsigned int nargs)
{
	dof_stridx_t first = (dof_stridx_t)w->strings.len;
	unsigned int i;

	for (i = 0; i < nargs; i++)
		bytes_string(&w->strings, args[i].spelled);
	return nargs ? first : 0;
}

static void add_probe(struct dof_writer *w, const struct provider_probe *probe,
		      struct bytes *probes, struct bytes *prargs)
{
	dof_probe_t entry = {.dofpr_name =
				     (dof_stridx_t)bytes_string(&w->strings, probe->hyphened)};

	entry.dofpr_nargc = (uint8_t)probe->nargs;
	entry.dofpr_xargc = (uint8_t)probe->nxargs;
	entry.dofpr_nargv = add_types(w, probe->args, probe->nargs);
	if (probe->xargs == probe->args)
		entry.dofpr_xargv = entry.dofpr_nargv;
	else
		entry.dofpr_xargv = add_types(w, probe->xargs, probe->nxargs);
	entry.dofpr_argidx = (uint32_t)bytes_add(prargs, probe->map, probe->nxargs);
	bytes_add(probes, &entry, sizeof(entry));
}

static void add_provider(struct dof_writer *w, const struct provider *provider, unsigned int first)
{
	struct bytes probes = {0}, prargs = {0}, proffs = {0}, header = {0};
	dof_provider_t entry = {
		.dofpv_probes = first,
		.dofpv_prargs = first + 1,
		.dofpv_proffs = first + 2,
		.dofpv_name = (dof_stridx_t)bytes_string(&w->strings, provider->name),
		.dofpv_provattr = provider->attrs[ATTR_PROVIDER],
		.dofpv_modattr = provider->attrs[ATTR_MODULE],
		.dofpv_funcattr = provider->attrs[ATTR_FUNCTION],
		.dofpv_nameattr = provider->attrs[ATTR_NAME],
		.dofpv_argsattr = provider->attrs[ATTR_ARGS],
		.dofpv_prenoffs = DOF_SECIDX_NONE,
		.dofpv_prsites = DOF_SECIDX_NONE,
	};
	size_t i;

	for (i = 0; i < provider->nprobes; i++)
		add_probe(w, provider->probes[i], &probes, &prargs);
	bytes_add(&header, &entry, sizeof(entry));
	writer_add(w, first, DOF_SECT_PROBES, 8, sizeof(dof_probe_t), &probes);
	writer_add(w, first + 1, DOF_SECT_PRARGS, 1, sizeof(uint8_t), &prargs);
	writer_add(w, first + 2, DOF_SECT_PROFFS, 4, sizeof(uint32_t), &proffs);
	writer_add(w, first + 3, DOF_SECT_PROVIDER, 4, 0, &header);
	bytes_free(&probes);
	bytes_free(&prargs);
	bytes_free(&header);
}

static void write_header(struct dof_writer *w, int model)
{
	dof_hdr_t header = {
		.dofh_ident = {DOF_MAG_MAG0, DOF_MAG_MAG1, DOF_MAG_MAG2, DOF_MAG_MAG3,
			       model == 32 ? DOF_MODEL_ILP32 : DOF_MODEL_LP64, DOF_ENCODE_LSB,
			       DOF_VERSION, DIF_VERSION, DIF_DIR_NREGS, DIF_DTR_NREGS},
		.dofh_hdrsize = sizeof(dof_hdr_t),
		.dofh_secsize = sizeof(dof_sec_t),
		.dofh_secnum = w->nsections,
		.dofh_secoff = sizeof(dof_hdr_t),
	};

	bytes_align(w->dof, 8);
	header.dofh_loadsz = header.dofh_filesz = w->dof->len - w->start;
	if (!w->dof->failed)
		memcpy(w->dof->data + w->start, &header, sizeof(header));
}

int dof_decl_write(const struct provider_file *file, int model, struct bytes *dof)
{
	struct dof_writer w = {.dof = dof};
	size_t i;

	if (!file->nproviders)
		return 0;
	bytes_align(dof, 8);
	w.start = dof->len;
	w.nsections = 1 + SECTIONS_PER_PROVIDER * (unsigned int)file->nproviders;
	bytes_add(dof, NULL, sizeof(dof_hdr_t) + w.nsections * sizeof(dof_sec_t));
	bytes_string(&w.strings, "");
	for (i = 0; i < file->nproviders; i++)
		add_provider(&w, file->providers[i], 1 + SECTIONS_PER_PROVIDER * (unsigned int)i);
	writer_add(&w, 0, DOF_SECT_STRTAB, 1, 0, &w.strings);
	bytes_free(&w.strings);
	write_header(&w, model);
	return dof->failed ? -1 : 0;
}
