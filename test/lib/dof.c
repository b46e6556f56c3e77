/* SPDX-License-Identifier: MIT */
/* dof.c - writes DOF section by section. */
#include <stdlib.h>
#include <string.h>
#include "dof.h"

static const char zeros[8]; /* to align */

size_t dof_add(struct dof_bytes *bytes, const void *data, size_t size)
{
	size_t at = bytes->size;

	bytes->data = realloc(bytes->data, at + size + 1);
	if (!bytes->data)
		abort();
	memcpy(bytes->data + at, data, size);
	bytes->size += size;
	return at;
}

dof_stridx_t dof_add_string(struct dof_bytes *strings, const char *text)
{
	return (dof_stridx_t)dof_add(strings, text, strlen(text) + 1);
}

void dof_begin(struct dof_bytes *file, unsigned int nsecs)
{
	size_t size = sizeof(dof_hdr_t) + nsecs * sizeof(dof_sec_t);

	*file = (struct dof_bytes){calloc(1, size + 1), size};
	if (!file->data)
		abort();
}

void dof_add_section(struct dof_bytes *file, unsigned int number, uint32_t type, uint32_t align,
		     uint32_t entsize, const void *data, size_t size)
{
	dof_sec_t *sec;
	size_t at;

	dof_add(file, zeros, -file->size & (align - 1));
	at = dof_add(file, data, size);
	sec = (dof_sec_t *)(file->data + sizeof(dof_hdr_t)) + number;
	*sec = (dof_sec_t){.dofs_type = type,
			   .dofs_align = align,
			   .dofs_entsize = entsize,
			   .dofs_flags = type == DOF_SECT_PRSITES ? 0 : DOF_SECF_LOAD,
			   .dofs_offset = at,
			   .dofs_size = size};
}

void dof_end(struct dof_bytes *file, unsigned int nsecs, uint8_t version)
{
	dof_hdr_t *hdr = (dof_hdr_t *)file->data;

	memcpy(hdr->dofh_ident, DOF_MAG_STRING, 4);
	hdr->dofh_ident[DOF_ID_MODEL] = DOF_MODEL_LP64;
	hdr->dofh_ident[DOF_ID_ENCODING] = DOF_ENCODE_LSB;
	hdr->dofh_ident[DOF_ID_VERSION] = version;
	hdr->dofh_ident[DOF_ID_DIFVERS] = DIF_VERSION;
	hdr->dofh_ident[DOF_ID_DIFIREG] = DIF_DIR_NREGS;
	hdr->dofh_ident[DOF_ID_DIFTREG] = DIF_DTR_NREGS;
	hdr->dofh_hdrsize = sizeof(*hdr);
	hdr->dofh_secsize = sizeof(dof_sec_t);
	hdr->dofh_secnum = nsecs;
	hdr->dofh_secoff = sizeof(*hdr);
	hdr->dofh_loadsz = file->size;
	hdr->dofh_filesz = file->size;
}

dof_provider_t dof_provider(dof_stridx_t name)
{
	return (dof_provider_t){
		.dofpv_strtab = DOF_STRTAB,
		.dofpv_probes = DOF_PROBES,
		.dofpv_prargs = DOF_PRARGS,
		.dofpv_proffs = DOF_PROFFS,
		.dofpv_name = name,
		.dofpv_provattr = DOF_ATTR(5, 5, 5),
		.dofpv_modattr = DOF_ATTR(1, 1, 0),
		.dofpv_funcattr = DOF_ATTR(1, 1, 0),
		.dofpv_nameattr = DOF_ATTR(5, 5, 5),
		.dofpv_argsattr = DOF_ATTR(5, 5, 5),
		.dofpv_prenoffs = DOF_SECIDX_NONE,
		.dofpv_prsites = DOF_SECIDX_NONE,
	};
}
