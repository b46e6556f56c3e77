/* SPDX-License-Identifier: MIT */
/* sites.c - see sites.h. */
#include <stdlib.h>
#include <string.h>
#include "sites.h"

struct dof_bytes sites_dof(const char *provider, const struct site *sites, uint32_t n,
			   uint64_t base)
{
	enum { PRSITES = DOF_OTHERS, PROVIDER, NSECTIONS };
	struct dof_bytes strings = {0}, probes = {0}, addrs = {0}, marks = {0}, dof;
	dof_prsites_t head = {.ps_nsites = n};
	dof_site_t mark = {.st_probe = (uint32_t)-1, .st_func = DOF_STRIDX_NONE};
	dof_provider_t pv;

	dof_add_string(&strings, "");
	pv = dof_provider(dof_add_string(&strings, provider));
	pv.dofpv_prsites = PRSITES;
	dof_add(&addrs, &head, sizeof(head));
	for (uint32_t i = 0; i < n; i++) {
		dof_siteaddr_t addr = {(int64_t)(sites[i].addr - base),
				       sites[i].sema ? (int64_t)(sites[i].sema - base) : 0};
		dof_probe_t probe = {0};

		dof_add(&addrs, &addr, sizeof(addr));
		if (!i || strcmp(sites[i].probe, sites[i - 1].probe)) {
			mark.st_probe++;
			probe.dofpr_func = dof_add_string(&strings, "function");
			probe.dofpr_name = dof_add_string(&strings, sites[i].probe);
			dof_add(&probes, &probe, sizeof(probe));
		}
		dof_add(&marks, &mark, sizeof(mark));
	}
	dof_add(&addrs, marks.data, marks.size);
	dof_begin(&dof, NSECTIONS);
	dof_add_section(&dof, DOF_STRTAB, DOF_SECT_STRTAB, 8, 0, strings.data, strings.size);
	dof_add_section(&dof, DOF_PROBES, DOF_SECT_PROBES, 8, sizeof(dof_probe_t), probes.data,
			probes.size);
	dof_add_section(&dof, DOF_PRARGS, DOF_SECT_PRARGS, 8, 1, "", 0);
	dof_add_section(&dof, DOF_PROFFS, DOF_SECT_PROFFS, 8, 4, "", 0);
	dof_add_section(&dof, PRSITES, DOF_SECT_PRSITES, 8, 0, addrs.data, addrs.size);
	dof_add_section(&dof, PROVIDER, DOF_SECT_PROVIDER, 8, 0, &pv, sizeof(pv));
	dof_end(&dof, NSECTIONS, DOF_VERSION_2);
	free(strings.data);
	free(probes.data);
	free(addrs.data);
	free(marks.data);
	return dof;
}
