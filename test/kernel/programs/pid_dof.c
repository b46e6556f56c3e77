// SPDX-License-Identifier: MIT
/* pid_dof.c - writes DOF of pid probes, section by section. */
#include <stdlib.h>
#include <string.h>

#include <dtrace/dof.h>

#include "pid_dof.h"

enum { STRTAB, PROBES, PRARGS, PROFFS, PRSITES, PROVIDER, NSECTIONS };

struct bytes {
	char *data;
	size_t size;
};

static size_t bytes_add(struct bytes *b, const void *data, size_t size)
{
	size_t at = b->size;

	b->data = realloc(b->data, at + size + 1);
	if (!b->data)
		abort();
	memcpy(b->data + at, data, size);
	b->size += size;
	return at;
}

static dof_stridx_t add_string(struct bytes *strings, const char *text)
{
	return (dof_stridx_t)bytes_add(strings, text, strlen(text) + 1);
}

static void add_section(struct bytes *file, int index, uint32_t type, uint32_t entsize,
			const struct bytes *from)
{
	static const char zeros[8];
	dof_sec_t *sec;
	size_t at;

	bytes_add(file, zeros, -file->size & 7);
	at = bytes_add(file, from->data, from->size);
	sec = (dof_sec_t *)(file->data + sizeof(dof_hdr_t)) + index;
	sec->dofs_type = type;
	sec->dofs_align = 8;
	sec->dofs_flags = type == DOF_SECT_PRSITES ? 0 : DOF_SECF_LOAD;
	sec->dofs_entsize = entsize;
	sec->dofs_offset = at;
	sec->dofs_size = from->size;
}

/* A probe for each site; the kernel puts those of one name together. */
static struct bytes make_probes(const struct pid_site *sites, size_t n, struct bytes *strings)
{
	struct bytes probes = {0};

	for (size_t i = 0; i < n; i++) {
		dof_probe_t probe = {.dofpr_func = add_string(strings, sites[i].function),
				     .dofpr_name = add_string(strings, sites[i].name)};

		bytes_add(&probes, &probe, sizeof(probe));
	}
	return probes;
}

/* A return has two locations, which are at 2 * its number. */
static void add_locations(struct bytes *part, const struct pid_site *site)
{
	dof_argloc_t offset = {.al_kind = DOF_LOC_CONST,
			       .al_size = 8,
			       .al_base = DOF_REG_NONE,
			       .al_index = DOF_REG_NONE,
			       .al_disp = site->offset};
	dof_argloc_t value = {.al_kind = DOF_LOC_REG,
			      .al_size = 8,
			      .al_base = DOF_REG_AX,
			      .al_index = DOF_REG_NONE};

	bytes_add(part, &offset, sizeof(offset));
	bytes_add(part, &value, sizeof(value));
}

static struct bytes make_sites(const struct pid_site *sites, size_t n, uint64_t where)
{
	dof_prsites_t head = {.ps_nsites = (uint32_t)n, .ps_nlocs = 2 * (uint32_t)n};
	struct bytes part = {0};

	bytes_add(&part, &head, sizeof(head));
	for (size_t i = 0; i < n; i++) {
		dof_siteaddr_t address = {.sa_addr = (int64_t)(sites[i].address - where)};

		bytes_add(&part, &address, sizeof(address));
	}
	for (size_t i = 0; i < n; i++) {
		dof_site_t site = {.st_probe = (uint32_t)i,
				   .st_func = DOF_STRIDX_NONE,
				   .st_loc = 2 * (uint32_t)i,
				   .st_nargs = sites[i].offset >= 0 ? 2 : 0};

		bytes_add(&part, &site, sizeof(site));
	}
	for (size_t i = 0; i < n; i++)
		add_locations(&part, &sites[i]);
	return part;
}

static struct bytes make_provider(struct bytes *strings)
{
	dof_provider_t pv = {
		.dofpv_strtab = STRTAB,
		.dofpv_probes = PROBES,
		.dofpv_prargs = PRARGS,
		.dofpv_proffs = PROFFS,
		.dofpv_name = add_string(strings, "pid"),
		.dofpv_provattr = DOF_ATTR(5, 5, 5),
		.dofpv_modattr = DOF_ATTR(1, 1, 0),
		.dofpv_funcattr = DOF_ATTR(1, 1, 0),
		.dofpv_nameattr = DOF_ATTR(5, 5, 5),
		.dofpv_argsattr = DOF_ATTR(1, 1, 0),
		.dofpv_prenoffs = DOF_SECIDX_NONE,
		.dofpv_prsites = PRSITES,
	};
	struct bytes part = {0};

	bytes_add(&part, &pv, sizeof(pv));
	return part;
}

static void fill_header(const struct bytes *file)
{
	dof_hdr_t *hdr = (dof_hdr_t *)file->data;

	memcpy(hdr->dofh_ident, DOF_MAG_STRING, 4);
	hdr->dofh_ident[DOF_ID_MODEL] = DOF_MODEL_LP64;
	hdr->dofh_ident[DOF_ID_ENCODING] = DOF_ENCODE_LSB;
	hdr->dofh_ident[DOF_ID_VERSION] = DOF_VERSION_2;
	hdr->dofh_ident[DOF_ID_DIFVERS] = DIF_VERSION;
	hdr->dofh_ident[DOF_ID_DIFIREG] = DIF_DIR_NREGS;
	hdr->dofh_ident[DOF_ID_DIFTREG] = DIF_DTR_NREGS;
	hdr->dofh_hdrsize = sizeof(*hdr);
	hdr->dofh_secsize = sizeof(dof_sec_t);
	hdr->dofh_secnum = NSECTIONS;
	hdr->dofh_secoff = sizeof(*hdr);
	hdr->dofh_loadsz = file->size;
	hdr->dofh_filesz = file->size;
}

void *pid_dof(const struct pid_site *sites, size_t n, uint64_t where, size_t *size)
{
	static const char head[sizeof(dof_hdr_t) + NSECTIONS * sizeof(dof_sec_t)];
	struct bytes strings = {0}, nothing = {0}, file = {0};
	struct bytes probes, places, provider;

	bytes_add(&strings, "", 1);
	bytes_add(&nothing, "", 0);
	probes = make_probes(sites, n, &strings);
	places = make_sites(sites, n, where);
	provider = make_provider(&strings);
	bytes_add(&file, head, sizeof(head));
	add_section(&file, STRTAB, DOF_SECT_STRTAB, 0, &strings);
	add_section(&file, PROBES, DOF_SECT_PROBES, sizeof(dof_probe_t), &probes);
	add_section(&file, PRARGS, DOF_SECT_PRARGS, 1, &nothing);
	add_section(&file, PROFFS, DOF_SECT_PROFFS, 4, &nothing);
	add_section(&file, PRSITES, DOF_SECT_PRSITES, 0, &places);
	add_section(&file, PROVIDER, DOF_SECT_PROVIDER, 0, &provider);
	fill_header(&file);
	free(strings.data);
	free(nothing.data);
	free(probes.data);
	free(places.data);
	free(provider.data);
	*size = file.size;
	return file.data;
}
