// SPDX-License-Identifier: MIT
/* dof_sample.c - writes small DOF of a process's probes, section by section, and damages it. */
#include <stdlib.h>
#include <string.h>

#include <dtrace/dof.h>

#include "dof_sample.h"

#define MAX_SECTIONS 10
#define MAX_BYTES    8192

enum { STRTAB, PROBES, PRARGS, PROFFS, PRENOFFS, PROVIDER, RELTAB, RELHDR, PRSITES, NSECTIONS };

struct writer {
	uint8_t bytes[MAX_BYTES];
	size_t used;
	dof_sec_t *secs;
	char strings[1024];
	size_t nstrings;
};

static dof_stridx_t add_string(struct writer *w, const char *text)
{
	size_t at = w->nstrings;

	strcpy(w->strings + at, text);
	w->nstrings += strlen(text) + 1;
	return at;
}

static void add_section(struct writer *w, int index, uint32_t type, uint32_t align,
			uint32_t entsize, const void *data, size_t size)
{
	dof_sec_t *sec = &w->secs[index];

	w->used = (w->used + align - 1) & ~(size_t)(align - 1);
	memcpy(w->bytes + w->used, data, size);
	sec->dofs_type = type;
	sec->dofs_align = align;
	sec->dofs_flags = type == DOF_SECT_PRSITES ? 0 : DOF_SECF_LOAD;
	sec->dofs_entsize = entsize;
	sec->dofs_offset = w->used;
	sec->dofs_size = size;
	w->used += size;
}

static void add_probes(struct writer *w, int form, unsigned int nsites)
{
	dof_probe_t probes[2] = {{0}};
	dof_stridx_t type = add_string(w, "int");

	add_string(w, "char *");
	for (int i = 0; i < 2; i++) {
		probes[i].dofpr_func = add_string(w, i ? "second_function" : "first_function");
		probes[i].dofpr_name = add_string(w, i ? "second__probe" : "first__probe");
		probes[i].dofpr_nargv = type;
		probes[i].dofpr_xargv = type;
		probes[i].dofpr_nargc = 2;
		probes[i].dofpr_xargc = 2;
		probes[i].dofpr_argidx = 2 * i;
		probes[i].dofpr_offidx = i * (nsites / 2);
		probes[i].dofpr_noffs = form == 2 ? 0 : nsites / 2;
		probes[i].dofpr_nenoffs = form == 1;
		probes[i].dofpr_enoffidx = form == 1 ? i : 0;
	}
	add_section(w, PROBES, DOF_SECT_PROBES, 8, sizeof(dof_probe_t), probes, sizeof(probes));
}

static void add_offsets(struct writer *w, unsigned int nsites)
{
	uint32_t offsets[64], enabled[2] = {8 * (nsites - 1), 8 * (nsites - 1)};
	uint8_t args[4] = {0, 1, 1, 0};

	for (unsigned int i = 0; i < nsites; i++)
		offsets[i] = 8 * i;
	add_section(w, PRARGS, DOF_SECT_PRARGS, 1, 1, args, sizeof(args));
	add_section(w, PROFFS, DOF_SECT_PROFFS, 4, 4, offsets, nsites * sizeof(offsets[0]));
	add_section(w, PRENOFFS, DOF_SECT_PRENOFFS, 4, 4, enabled, sizeof(enabled));
}

static void add_provider(struct writer *w, int form)
{
	dof_provider_t pv = {
		.dofpv_strtab = STRTAB,
		.dofpv_probes = PROBES,
		.dofpv_prargs = PRARGS,
		.dofpv_proffs = PROFFS,
		.dofpv_name = add_string(w, "torture"),
		.dofpv_provattr = DOF_ATTR(5, 5, 5),
		.dofpv_modattr = DOF_ATTR(1, 1, 0),
		.dofpv_funcattr = DOF_ATTR(1, 1, 0),
		.dofpv_nameattr = DOF_ATTR(5, 5, 5),
		.dofpv_argsattr = DOF_ATTR(5, 5, 5),
		.dofpv_prenoffs = form == 1 ? PRENOFFS : DOF_SECIDX_NONE,
		.dofpv_prsites = form == 2 ? PRSITES : DOF_SECIDX_NONE,
	};
	size_t size = form == 2 ? sizeof(pv) : offsetof(dof_provider_t, dofpv_prsites);

	if (form == 0)
		size = offsetof(dof_provider_t, dofpv_prenoffs);
	add_section(w, PROVIDER, DOF_SECT_PROVIDER, 4, 0, &pv, size);
}

/* The probes' addresses are 0 in the file; a relocation adds the base that the caller names. */
static void add_relocations(struct writer *w)
{
	dof_relodesc_t relocs[2] = {{0}};
	dof_relohdr_t header = {
		.dofr_strtab = STRTAB, .dofr_relsec = RELTAB, .dofr_tgtsec = PROBES};

	for (int i = 0; i < 2; i++) {
		relocs[i].dofr_type = DOF_RELO_SETX;
		relocs[i].dofr_offset = i * sizeof(dof_probe_t) + offsetof(dof_probe_t, dofpr_addr);
	}
	add_section(w, RELTAB, DOF_SECT_RELTAB, 8, sizeof(relocs[0]), relocs, sizeof(relocs));
	add_section(w, RELHDR, DOF_SECT_URELHDR, 4, 0, &header, sizeof(header));
}

static void add_sites(struct writer *w, uint64_t site, unsigned int nsites, uint64_t sema,
		      uint64_t where)
{
	struct {
		dof_prsites_t head;
		dof_siteaddr_t addrs[64];
	} part = {.head = {.ps_nsites = nsites, .ps_nlocs = 2}};
	uint8_t bytes[sizeof(part) + 64 * sizeof(dof_site_t) + 2 * sizeof(dof_argloc_t)];
	dof_site_t *sites;
	dof_argloc_t *locs;

	memset(bytes, 0, sizeof(bytes));
	for (unsigned int i = 0; i < nsites; i++) {
		part.addrs[i].sa_addr = (int64_t)(site + 8 * i - where);
		part.addrs[i].sa_sema = i & 1 ? (int64_t)(sema - where) : 0;
	}
	memcpy(bytes, &part, sizeof(part.head) + nsites * sizeof(part.addrs[0]));
	sites = (dof_site_t *)(bytes + sizeof(part.head) + nsites * sizeof(part.addrs[0]));
	for (unsigned int i = 0; i < nsites; i++)
		sites[i] =
			(dof_site_t){.st_probe = i & 1, .st_func = DOF_STRIDX_NONE, .st_nargs = 2};
	locs = (dof_argloc_t *)(sites + nsites);
	locs[0] = (dof_argloc_t){.al_kind = DOF_LOC_REG,
				 .al_size = 4,
				 .al_flags = DOF_LOCF_SIGNED,
				 .al_base = DOF_REG_DI,
				 .al_index = DOF_REG_NONE,
				 .al_scale = 1};
	locs[1] = (dof_argloc_t){.al_kind = DOF_LOC_MEM,
				 .al_size = 8,
				 .al_base = DOF_REG_SP,
				 .al_index = DOF_REG_NONE,
				 .al_scale = 1,
				 .al_disp = 16};
	add_section(w, PRSITES, DOF_SECT_PRSITES, 8, 0, bytes, (uint8_t *)(locs + 2) - bytes);
}

static void fill_header(struct writer *w, int form, int nsecs)
{
	dof_hdr_t *hdr = (dof_hdr_t *)w->bytes;

	memcpy(hdr->dofh_ident, DOF_MAG_STRING, 4);
	hdr->dofh_ident[DOF_ID_MODEL] = DOF_MODEL_LP64;
	hdr->dofh_ident[DOF_ID_ENCODING] = DOF_ENCODE_LSB;
	hdr->dofh_ident[DOF_ID_VERSION] = form == 0 ? DOF_VERSION_1 : DOF_VERSION_2;
	hdr->dofh_ident[DOF_ID_DIFVERS] = DIF_VERSION;
	hdr->dofh_ident[DOF_ID_DIFIREG] = DIF_DIR_NREGS;
	hdr->dofh_ident[DOF_ID_DIFTREG] = DIF_DTR_NREGS;
	hdr->dofh_hdrsize = sizeof(*hdr);
	hdr->dofh_secsize = sizeof(dof_sec_t);
	hdr->dofh_secnum = nsecs;
	hdr->dofh_secoff = sizeof(*hdr);
	hdr->dofh_loadsz = w->used;
	hdr->dofh_filesz = w->used;
}

void *dof_sample_helper(int form, uint64_t site, unsigned int nsites, uint64_t sema, uint64_t where,
			size_t *size)
{
	struct writer *w = calloc(1, sizeof(*w));
	int nsecs = form == 2 ? NSECTIONS : PRSITES;

	if (!w)
		abort();
	w->secs = (dof_sec_t *)(w->bytes + sizeof(dof_hdr_t));
	w->used = sizeof(dof_hdr_t) + nsecs * sizeof(dof_sec_t);
	add_string(w, "");
	add_probes(w, form, nsites);
	add_offsets(w, nsites);
	add_provider(w, form);
	add_relocations(w);
	if (form == 2)
		add_sites(w, site, nsites, sema, where);
	add_section(w, STRTAB, DOF_SECT_STRTAB, 1, 0, w->strings, w->nstrings);
	fill_header(w, form, nsecs);
	*size = w->used;
	return w; /* its bytes come first */
}

uint64_t dof_sample_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed * 0x2545f4914f6cdd1dULL;
}

/* A number that programs tend to get wrong. */
static uint64_t odd_number(uint64_t *seed, size_t size)
{
	static const uint64_t odd[] = {
		0,
		1,
		2,
		3,
		7,
		8,
		0x7f,
		0x80,
		0xff,
		0x100,
		0x7fff,
		0xffff,
		0x10000,
		0x7fffffff,
		0x80000000,
		0xffffffff,
		0x100000000,
		0x7fffffffffffffff,
		0x8000000000000000,
		0xffffffffffffffff,
		0xffffffffffffff00,
		0x00007fffffffffff,
		0xffff800000000000,
		0xffffffff81000000,
	};
	uint64_t choice = dof_sample_random(seed) % (sizeof(odd) / sizeof(odd[0]) + 2);

	if (choice >= sizeof(odd) / sizeof(odd[0]))
		return size - 8 + dof_sample_random(seed) % 16;
	return odd[choice];
}

static void mutate_once(uint8_t *bytes, size_t size, uint64_t *seed)
{
	size_t at = dof_sample_random(seed) % size, n;
	uint64_t value = odd_number(seed, size);

	switch (dof_sample_random(seed) % 6) {
	case 0:
		bytes[at] ^= 1 << (dof_sample_random(seed) & 7);
		return;
	case 1:
		bytes[at] = dof_sample_random(seed);
		return;
	case 2: /* a word */
		at &= ~(size_t)3;
		memcpy(bytes + at, &value, size - at < 4 ? size - at : 4);
		return;
	case 3: /* a long word */
		at &= ~(size_t)7;
		memcpy(bytes + at, &value, size - at < 8 ? size - at : 8);
		return;
	case 4: /* copy something to another place */
		n = dof_sample_random(seed) % 64;
		value = dof_sample_random(seed) % size;
		if (at + n < size && value + n < size)
			memmove(bytes + at, bytes + value, n);
		return;
	default: /* the header or a section header, where it hurts most */
		at = dof_sample_random(seed) % (size < 512 ? size : 512) & ~(size_t)3;
		memcpy(bytes + at, &value, size - at < 4 ? size - at : 4);
	}
}

void dof_sample_mutate(void *dof, size_t size, uint64_t *seed)
{
	int times = 1 + dof_sample_random(seed) % 4;

	while (times-- > 0)
		mutate_once(dof, size, seed);
}
