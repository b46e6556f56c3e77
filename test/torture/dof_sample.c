// SPDX-License-Identifier: MIT
/* dof_sample.c - make small DOF of a process's probes by hand, and damage it. */
#include <stdlib.h>
#include <string.h>

#include "../lib/dof.h"
#include "../lib/random.h"
#include "dof_sample.h"

enum { PRENOFFS = DOF_OTHERS, PROVIDER, RELTAB, RELHDR, PRSITES, NSECTIONS };

struct writer {
	struct dof_bytes file, strings;
};

static void add_probes(struct writer *w, int form, unsigned int nsites)
{
	dof_probe_t probes[2] = {{0}};
	dof_stridx_t type = dof_add_string(&w->strings, "int");

	dof_add_string(&w->strings, "char *");
	for (int i = 0; i < 2; i++) {
		probes[i].dofpr_func =
			dof_add_string(&w->strings, i ? "second_function" : "first_function");
		probes[i].dofpr_name =
			dof_add_string(&w->strings, i ? "second__probe" : "first__probe");
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
	dof_add_section(&w->file, DOF_PROBES, DOF_SECT_PROBES, 8, sizeof(dof_probe_t), probes,
			sizeof(probes));
}

static void add_offsets(struct writer *w, unsigned int nsites)
{
	uint32_t offsets[64], enabled[2] = {8 * (nsites - 1), 8 * (nsites - 1)};
	uint8_t args[4] = {0, 1, 1, 0};

	for (unsigned int i = 0; i < nsites; i++)
		offsets[i] = 8 * i;
	dof_add_section(&w->file, DOF_PRARGS, DOF_SECT_PRARGS, 1, 1, args, sizeof(args));
	dof_add_section(&w->file, DOF_PROFFS, DOF_SECT_PROFFS, 4, 4, offsets,
			nsites * sizeof(offsets[0]));
	dof_add_section(&w->file, PRENOFFS, DOF_SECT_PRENOFFS, 4, 4, enabled, sizeof(enabled));
}

static void add_provider(struct writer *w, int form)
{
	dof_provider_t pv = dof_provider(dof_add_string(&w->strings, "torture"));
	size_t size = form == 2 ? sizeof(pv) : offsetof(dof_provider_t, dofpv_prsites);

	if (form == 0)
		size = offsetof(dof_provider_t, dofpv_prenoffs);
	if (form == 1)
		pv.dofpv_prenoffs = PRENOFFS;
	if (form == 2)
		pv.dofpv_prsites = PRSITES;
	dof_add_section(&w->file, PROVIDER, DOF_SECT_PROVIDER, 4, 0, &pv, size);
}

/* The probes' addresses are 0 in the file; a relocation adds the base that the caller names. */
static void add_relocations(struct writer *w)
{
	dof_relodesc_t relocs[2] = {{0}};
	dof_relohdr_t header = {
		.dofr_strtab = DOF_STRTAB, .dofr_relsec = RELTAB, .dofr_tgtsec = DOF_PROBES};

	for (int i = 0; i < 2; i++) {
		relocs[i].dofr_type = DOF_RELO_SETX;
		relocs[i].dofr_offset = i * sizeof(dof_probe_t) + offsetof(dof_probe_t, dofpr_addr);
	}
	dof_add_section(&w->file, RELTAB, DOF_SECT_RELTAB, 8, sizeof(relocs[0]), relocs,
			sizeof(relocs));
	dof_add_section(&w->file, RELHDR, DOF_SECT_URELHDR, 4, 0, &header, sizeof(header));
}

static void add_locations(struct dof_bytes *part)
{
	dof_argloc_t first = {.al_kind = DOF_LOC_REG,
			      .al_size = 4,
			      .al_flags = DOF_LOCF_SIGNED,
			      .al_base = DOF_REG_DI,
			      .al_index = DOF_REG_NONE,
			      .al_scale = 1};
	dof_argloc_t second = {.al_kind = DOF_LOC_MEM,
			       .al_size = 8,
			       .al_base = DOF_REG_SP,
			       .al_index = DOF_REG_NONE,
			       .al_scale = 1,
			       .al_disp = 16};

	dof_add(part, &first, sizeof(first));
	dof_add(part, &second, sizeof(second));
}

static void add_sites(struct writer *w, uint64_t site, unsigned int nsites, uint64_t sema,
		      uint64_t where)
{
	dof_prsites_t head = {.ps_nsites = nsites, .ps_nlocs = 2};
	struct dof_bytes part = {0};

	dof_add(&part, &head, sizeof(head));
	for (unsigned int i = 0; i < nsites; i++) {
		dof_siteaddr_t address = {.sa_addr = (int64_t)(site + 8 * i - where),
					  .sa_sema = i & 1 ? (int64_t)(sema - where) : 0};

		dof_add(&part, &address, sizeof(address));
	}
	for (unsigned int i = 0; i < nsites; i++) {
		dof_site_t one = {.st_probe = i & 1, .st_func = DOF_STRIDX_NONE, .st_nargs = 2};

		dof_add(&part, &one, sizeof(one));
	}
	add_locations(&part);
	dof_add_section(&w->file, PRSITES, DOF_SECT_PRSITES, 8, 0, part.data, part.size);
	free(part.data);
}

void *dof_sample_helper(int form, uint64_t site, unsigned int nsites, uint64_t sema, uint64_t where,
			size_t *size)
{
	unsigned int nsecs = form == 2 ? NSECTIONS : PRSITES;
	struct writer writer = {0}, *w = &writer;

	dof_begin(&w->file, nsecs);
	dof_add_string(&w->strings, "");
	add_probes(w, form, nsites);
	add_offsets(w, nsites);
	add_provider(w, form);
	add_relocations(w);
	if (form == 2)
		add_sites(w, site, nsites, sema, where);
	dof_add_section(&w->file, DOF_STRTAB, DOF_SECT_STRTAB, 1, 0, w->strings.data,
			w->strings.size);
	dof_end(&w->file, nsecs, form == 0 ? DOF_VERSION_1 : DOF_VERSION_2);
	free(w->strings.data);
	*size = w->file.size;
	return w->file.data;
}

/* Return a number that programs tend to handle wrongly. */
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
	uint64_t choice = random_next(seed) % (sizeof(odd) / sizeof(odd[0]) + 2);

	if (choice >= sizeof(odd) / sizeof(odd[0]))
		return size - 8 + random_next(seed) % 16;
	return odd[choice];
}

static void mutate_once(uint8_t *bytes, size_t size, uint64_t *seed)
{
	size_t at = random_next(seed) % size, n;
	uint64_t value = odd_number(seed, size);

	switch (random_next(seed) % 6) {
	case 0:
		bytes[at] ^= 1 << (random_next(seed) & 7);
		return;
	case 1:
		bytes[at] = random_next(seed);
		return;
	case 2: /* a word */
		at &= ~(size_t)3;
		memcpy(bytes + at, &value, size - at < 4 ? size - at : 4);
		return;
	case 3: /* a long word */
		at &= ~(size_t)7;
		memcpy(bytes + at, &value, size - at < 8 ? size - at : 8);
		return;
	case 4: /* copy bytes to another offset */
		n = random_next(seed) % 64;
		value = random_next(seed) % size;
		if (at + n < size && value + n < size)
			memmove(bytes + at, bytes + value, n);
		return;
	default: /* the header or a section header, where damage has most effect */
		at = random_next(seed) % (size < 512 ? size : 512) & ~(size_t)3;
		memcpy(bytes + at, &value, size - at < 4 ? size - at : 4);
	}
}

void dof_sample_mutate(void *dof, size_t size, uint64_t *seed)
{
	int times = 1 + random_next(seed) % 4;

	while (times-- > 0)
		mutate_once(dof, size, seed);
}
