/* SPDX-License-Identifier: MIT */
/*
 * registered.c - a program that shows what drti does: it stands in for the module by having the C
 * library's ioctl replaced, and prints what is registered. Libraries that are named on the command
 * line are loaded and unloaded.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/sdt.h>
#include <dtrace/dof.h>
#include <dtrace/helper.h>

static const char *dof;

static const void *section(dof_secidx_t i)
{
	return dof + ((const dof_sec_t *)(dof + sizeof(dof_hdr_t)))[i].dofs_offset;
}

static void print_types(const char *strings, const dof_probe_t *probe, const uint8_t *map)
{
	const char *type = strings + probe->dofpr_nargv;

	for (int i = 0; i < probe->dofpr_nargc; i++, type += strlen(type) + 1)
		printf("%s %s", i ? "," : " native", type);
	type = strings + probe->dofpr_xargv;
	for (int i = 0; i < probe->dofpr_xargc; i++, type += strlen(type) + 1)
		printf("%s %s from %d", i ? "," : " args", type, map[probe->dofpr_argidx + i]);
}

static void print_provider(const dof_provider_t *pv, uint64_t size)
{
	const dof_probe_t *probes = section(pv->dofpv_probes);
	const dof_prsites_t *head = section(pv->dofpv_prsites);
	const dof_site_t *sites =
		(const dof_site_t *)((const dof_siteaddr_t *)(head + 1) + head->ps_nsites);
	const char *strings = section(pv->dofpv_strtab);

	if (size != sizeof *pv)
		printf("  provider of %d bytes\n", (int)size);
	for (uint32_t i = 0; i < head->ps_nsites; i++) {
		const dof_probe_t *probe = &probes[sites[i].st_probe];

		printf("  %s:%s %d arguments", strings + pv->dofpv_name,
		       strings + probe->dofpr_name, sites[i].st_nargs);
		print_types(strings, probe, section(pv->dofpv_prargs));
		printf("\n");
	}
}

static int add(const dof_helper_t *helper)
{
	static int registrations;
	const dof_hdr_t *header;
	const dof_sec_t *secs;

	dof = (const char *)(uintptr_t)helper->dofhp_dof;
	header = (const dof_hdr_t *)dof;
	secs = (const dof_sec_t *)(header + 1);
	printf("add %d, module \"%s\", %d bits\n", registrations, helper->dofhp_mod,
	       header->dofh_ident[DOF_ID_MODEL] == DOF_MODEL_LP64 ? 64 : 32);
	for (uint32_t i = 0; i < header->dofh_secnum; i++)
		if (secs[i].dofs_type == DOF_SECT_PROVIDER)
			print_provider(section(i), secs[i].dofs_size);
	errno = EBUSY;
	return registrations++;
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	const dof_helper_t *helper;

	(void)fd;
	va_start(ap, request);
	if (request == DTRACEHIOC_REMOVE) {
		printf("remove %d\n", va_arg(ap, int));
		va_end(ap);
		return 0;
	}
	helper = va_arg(ap, const dof_helper_t *);
	va_end(ap);
	return request == DTRACEHIOC_ADDDOF ? add(helper) : -1;
}

int main(int argc, char **argv)
{
	printf("main, errno %d\n", errno);
	DTRACE_PROBE(registered, begin);
	for (int i = 1; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_NOW);

		if (!library)
			printf("%s\n", dlerror());
		else if (dlclose(library))
			printf("%s\n", dlerror());
	}
	DTRACE_PROBE2(registered, end, argc, argv);
	return 0;
}
