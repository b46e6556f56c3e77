// SPDX-License-Identifier: MIT
/* pid_dof.c - make DOF of pid probes by hand, and find their offsets in a file. */
#include <elf.h>
#include <stdlib.h>

#include "../../lib/dof.h"
#include "pid_dof.h"

enum { PRSITES = DOF_OTHERS, PROVIDER, NSECTIONS };

uint64_t pid_offset(const void *image, uint64_t address)
{
	const Elf64_Ehdr *head = image;
	const Elf64_Phdr *part = (const void *)((const char *)image + head->e_phoff);

	for (int i = 0; i < head->e_phnum; i++)
		if (part[i].p_type == PT_LOAD && address - part[i].p_vaddr < part[i].p_filesz)
			return address - part[i].p_vaddr + part[i].p_offset;
	return 0;
}

/* Make a probe for each site; the kernel merges probes of one name. */
static struct dof_bytes make_probes(const struct pid_site *sites, size_t n,
				    struct dof_bytes *strings)
{
	struct dof_bytes probes = {0};

	for (size_t i = 0; i < n; i++) {
		dof_probe_t probe = {.dofpr_func = dof_add_string(strings, sites[i].function),
				     .dofpr_name = dof_add_string(strings, sites[i].name)};

		dof_add(&probes, &probe, sizeof(probe));
	}
	return probes;
}

/* Add the operands of two arguments; a return uses those at 2 * its number. */
static void add_locations(struct dof_bytes *part, const struct pid_site *site)
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

	dof_add(part, &offset, sizeof(offset));
	dof_add(part, &value, sizeof(value));
}

static struct dof_bytes make_sites(const struct pid_site *sites, size_t n, uint64_t where)
{
	dof_prsites_t head = {.ps_nsites = (uint32_t)n, .ps_nlocs = 2 * (uint32_t)n};
	struct dof_bytes part = {0};

	dof_add(&part, &head, sizeof(head));
	for (size_t i = 0; i < n; i++) {
		dof_siteaddr_t address = {.sa_addr = (int64_t)(sites[i].address - where)};

		dof_add(&part, &address, sizeof(address));
	}
	for (size_t i = 0; i < n; i++) {
		dof_site_t site = {.st_probe = (uint32_t)i,
				   .st_func = DOF_STRIDX_NONE,
				   .st_loc = 2 * (uint32_t)i,
				   .st_nargs = sites[i].offset >= 0 ? 2 : 0};

		dof_add(&part, &site, sizeof(site));
	}
	for (size_t i = 0; i < n; i++)
		add_locations(&part, &sites[i]);
	return part;
}

void *pid_dof(const struct pid_site *sites, size_t n, uint64_t where, size_t *size)
{
	struct dof_bytes strings = {0}, file;
	struct dof_bytes probes, records;
	dof_provider_t provider;

	dof_add_string(&strings, "");
	probes = make_probes(sites, n, &strings);
	records = make_sites(sites, n, where);
	provider = dof_provider(dof_add_string(&strings, "pid"));
	provider.dofpv_argsattr = DOF_ATTR(1, 1, 0);
	provider.dofpv_prsites = PRSITES;
	dof_begin(&file, NSECTIONS);
	dof_add_section(&file, DOF_STRTAB, DOF_SECT_STRTAB, 8, 0, strings.data, strings.size);
	dof_add_section(&file, DOF_PROBES, DOF_SECT_PROBES, 8, sizeof(dof_probe_t), probes.data,
			probes.size);
	dof_add_section(&file, DOF_PRARGS, DOF_SECT_PRARGS, 8, 1, "", 0);
	dof_add_section(&file, DOF_PROFFS, DOF_SECT_PROFFS, 8, 4, "", 0);
	dof_add_section(&file, PRSITES, DOF_SECT_PRSITES, 8, 0, records.data, records.size);
	dof_add_section(&file, PROVIDER, DOF_SECT_PROVIDER, 8, 0, &provider, sizeof(provider));
	dof_end(&file, NSECTIONS, DOF_VERSION_2);
	free(strings.data);
	free(probes.data);
	free(records.data);
	*size = file.size;
	return file.data;
}
