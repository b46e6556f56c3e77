/* SPDX-License-Identifier: MIT */
/*
 * globs.c - register 2,000 probes, in functions whose names are 240 times the letter a; print a
 * line, and wait for the end of standard input.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <dtrace/helper.h>
#include "../lib/dof.h"

#define NPROBES 2000
#define NSECS	6

static void function(char *name, unsigned int i)
{
	memset(name, 'a', 240);
	snprintf(name + 240, 8, "%u", i);
}

void site(void);
__asm__(".text; .type site, @function; site: .skip 4096, 0x90; ret");

int main(void)
{
	struct dof_bytes strings = {0}, probes = {0}, offsets = {0}, file;
	dof_provider_t provider;
	char name[256];
	int fd = open(DTRACE_HELPER_DEVICE, O_RDWR);

	dof_add_string(&strings, "");
	provider = dof_provider(dof_add_string(&strings, "globs"));
	for (uint32_t i = 0; i < NPROBES; i++) {
		dof_probe_t probe = {
			.dofpr_addr = (uintptr_t)site, .dofpr_offidx = i, .dofpr_noffs = 1};

		function(name, i);
		probe.dofpr_func = dof_add_string(&strings, name);
		probe.dofpr_name = dof_add_string(&strings, "probe");
		dof_add(&probes, &probe, sizeof(probe));
		dof_add(&offsets, &(uint32_t){i * 2}, sizeof(uint32_t));
	}
	dof_begin(&file, NSECS);
	dof_add_section(&file, DOF_STRTAB, DOF_SECT_STRTAB, 1, 0, strings.data, strings.size);
	dof_add_section(&file, DOF_PROBES, DOF_SECT_PROBES, 8, sizeof(dof_probe_t), probes.data,
			probes.size);
	dof_add_section(&file, DOF_PRARGS, DOF_SECT_PRARGS, 1, 1, "", 1);
	dof_add_section(&file, DOF_PROFFS, DOF_SECT_PROFFS, 4, 4, offsets.data, offsets.size);
	dof_add_section(&file, DOF_OTHERS, DOF_SECT_PROVIDER, 4, 0, &provider, sizeof(provider));
	dof_add_section(&file, DOF_OTHERS + 1, DOF_SECT_COMMENTS, 1, 0, "", 1);
	dof_end(&file, NSECS, DOF_VERSION_2);
	puts(ioctl(fd, DTRACEHIOC_ADD, file.data) < 0 ? strerror(errno) : "registered");
	fflush(stdout);
	getchar();
	return 0;
}
