/* SPDX-License-Identifier: MIT */
/*
 * fire.c - fires each probe site of a program once, without running the program. It is stopped
 * before its main, its instruction pointer is set to each site in turn, with known arguments, and
 * it is stepped over the site. A tracer of the program sees a hit. In the end the program is
 * killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../process/start.h"
#include "fire.h"
#include "machine.h"
#include "process_sites.h"

struct fire {
	pid_t pid;
	struct dt_fire_machine *machine;
	dtrace_proc_fired_f *func;
	void *arg;
};

/* The DOF of a file. It was made by process_sites.c, so it is valid. */
struct dof {
	const char *data;
	uint64_t address; /* to which sites are relative */
	const char *strings;
	const char *module;
};

/* Return the bytes of section i. */
static const void *dof_section(const struct dof *d, dof_secidx_t i)
{
	const dof_hdr_t *header = (const void *)d->data;
	const dof_sec_t *secs = (const void *)(d->data + header->dofh_secoff);

	return d->data + secs[i].dofs_offset;
}

/* Read a site. Argument addresses relative to the DOF become those in the process. */
static void site_read(struct dt_fire_site *site, const struct dof *d, const dof_site_t *from,
		      const dof_argloc_t *locs)
{
	site->nargs = from->st_nargs < DTRACE_USDT_MAXARGS ? from->st_nargs : DTRACE_USDT_MAXARGS;
	memcpy(site->locs, locs + from->st_loc, site->nargs * sizeof(*locs));
	for (unsigned int i = 0; i < site->nargs; i++)
		if (site->locs[i].al_kind == DOF_LOC_MEM && site->locs[i].al_base == DOF_REG_IP)
			site->locs[i].al_disp += d->address;
}

/* Fire a site and report it. Return what the function returned. */
static int site_fire(const struct fire *f, struct dt_fire_site *site, dtrace_proc_fired_t *fired)
{
	char why[64];
	int unread = dt_fire_arrange(f->machine, site);

	fired->fault = dt_fire_run(f->machine, site);
	if (!fired->fault && unread >= 0) {
		snprintf(why, sizeof(why), "argument %d cannot be read", unread);
		fired->fault = why;
	}
	fired->nargs = site->nargs;
	for (unsigned int i = 0; i < site->nargs; i++) {
		fired->args[i].value = site->values[i];
		fired->args[i].size = site->locs[i].al_size;
		fired->args[i].is_signed = site->locs[i].al_flags & DOF_LOCF_SIGNED;
		fired->args[i].is_float = site->locs[i].al_flags & DOF_LOCF_FLOAT;
	}
	return f->func(fired, f->arg);
}

/* Fire all sites of a provider. Return what the function returned. */
static int provider_fire(const struct fire *f, const struct dof *d, const dof_provider_t *provider)
{
	const dof_prsites_t *head = dof_section(d, provider->dofpv_prsites);
	const dof_probe_t *probes = dof_section(d, provider->dofpv_probes);
	const dof_siteaddr_t *addrs = (const void *)(head + 1);
	const dof_site_t *sites = (const void *)(addrs + head->ps_nsites);
	const dof_argloc_t *locs = (const void *)(sites + head->ps_nsites);
	dtrace_proc_fired_t fired = {.module = d->module,
				     .provider = d->strings + provider->dofpv_name};
	struct dt_fire_site site = {.pid = f->pid};
	int rv = 0;

	for (uint32_t i = 0; i < head->ps_nsites && rv == 0; i++) {
		if (sites[i].st_kind != DOF_SITE_PROBE)
			continue;
		fired.name = d->strings + probes[sites[i].st_probe].dofpr_name;
		fired.func =
			sites[i].st_func != DOF_STRIDX_NONE ? d->strings + sites[i].st_func : "";
		site.trap = fired.address = d->address + (uint64_t)addrs[i].sa_addr;
		site_read(&site, d, &sites[i], locs);
		rv = site_fire(f, &site, &fired);
	}
	return rv;
}

/* Fire all sites of a file: a process_sites_f. */
static int object_fire(void *arg, const void *data, uint64_t address, uint64_t unused,
		       const struct dt_mapping *map)
{
	struct dof d = {.data = data, .address = address, .module = basename(map->path)};
	const dof_hdr_t *header = data;
	const dof_sec_t *secs = (const void *)(d.data + header->dofh_secoff);
	const dof_provider_t *provider;
	int rv = 0;

	(void)unused;
	for (uint32_t i = 0; i < header->dofh_secnum && rv == 0; i++)
		if (secs[i].dofs_type == DOF_SECT_PROVIDER) {
			provider = dof_section(&d, i);
			d.strings = dof_section(&d, provider->dofpv_strtab);
			rv = provider_fire(arg, &d, provider);
		}
	return rv;
}

/* Read the header of a file. Return false if it is no ELF file. */
static bool file_header(const char *file, GElf_Ehdr *header)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	bool found;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = fd != -1 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	found = elf && gelf_getehdr(elf, header);
	elf_end(elf);
	if (fd != -1)
		close(fd);
	return found;
}

/* Return 0 if a file can be run and fired here, else -1 with EDT_PROC and a message. */
static int file_check(dtrace_hdl_t *dtp, const char *file)
{
	const struct machine *machine;
	GElf_Ehdr header;

	if (!file_header(file, &header))
		return 0;
	machine = machine_of(&header);
	if (machine && !machine->traced)
		return dt_set_error(dtp, EDT_PROC,
				    "%s is a program for %s, whose probes can be neither fired nor "
				    "traced on this machine",
				    file, machine->name);
	if (header.e_type == ET_REL || (header.e_type == ET_DYN && header.e_entry == 0))
		return dt_set_error(dtp, EDT_PROC,
				    "%s is %s: name a program that is linked with it", file,
				    header.e_type == ET_REL ? "an object file" : "a library");
	return 0;
}

int dtrace_proc_fire(dtrace_hdl_t *dtp, const char *file, char *const *argv,
		     dtrace_proc_fired_f *func, void *arg)
{
	struct fire f = {.func = func, .arg = arg};
	int rv;

	if (file_check(dtp, file) != 0)
		return -1;
	f.pid = dt_start(dtp, file, argv, DT_EVAL_MAIN);
	if (f.pid == -1)
		return -1;
	f.machine = dt_fire_open(f.pid);
	rv = f.machine ? process_sites_read(f.pid, object_fire, &f)
		       : dt_set_error(dtp, EDT_PROC,
				      "failed to look at the registers of "
				      "%s: %s",
				      file, strerror(errno));
	dt_fire_close(f.machine);
	kill(f.pid, SIGKILL);
	waitpid(f.pid, NULL, __WALL);
	return rv;
}
