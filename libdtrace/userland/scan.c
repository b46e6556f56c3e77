/* SPDX-License-Identifier: MIT */
/* scan.c - finds running processes of the user that have static probes. */
#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gelf.h>
#include <dtrace/site.h>
#include "../process/mappings.h"
#include "../process/procfs.h"
#include "../usdt/process_sites.h"
#include "traced.h"

/* A file that has been searched for sites. */
struct traced_file {
	struct traced_file *next;
	uint64_t dev, ino;
	bool has_sites;
};

/* Return whether a file has records of sites. */
static bool file_has_sites(int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	Elf_Scn *scn = NULL;
	bool found = false;
	GElf_Shdr sh;
	size_t strs;

	if (elf && elf_getshdrstrndx(elf, &strs) == 0)
		while (!found && (scn = elf_nextscn(elf, scn))) {
			const char *name =
				gelf_getshdr(scn, &sh) ? elf_strptr(elf, strs, sh.sh_name) : NULL;

			found = name && strcmp(name, DTRACE_SITES_SECTION) == 0;
		}
	elf_end(elf);
	return found;
}

/* The state of a scan of one process. */
struct scan {
	struct traced_session *session;
	pid_t pid;
};

#define FILE_BUCKET(ino) ((ino) % TRACED_FILES)

/* Return 1 if a mapped file has sites, else 0. A callback of dt_mappings(). */
static int mapping_has_sites(void *arg, const struct dt_mapping *map)
{
	const struct scan *scan = arg;
	struct traced_file **bucket = &scan->session->files[FILE_BUCKET(map->ino)], *file;
	int fd;

	for (file = *bucket; file; file = file->next)
		if (file->ino == map->ino && file->dev == map->dev)
			return file->has_sites;
	fd = map->ino ? dt_mapping_open(scan->pid, map) : -1;
	file = fd != -1 ? calloc(1, sizeof(*file)) : NULL;
	if (file) {
		*file = (struct traced_file){.next = *bucket,
					     .dev = map->dev,
					     .ino = map->ino,
					     .has_sites = file_has_sites(fd)};
		*bucket = file;
	}
	if (fd != -1)
		close(fd);
	return file && file->has_sites;
}

/*
 * Register a DOF of a process; a process_sites_f. Failures are not reported, because the user has
 * not named the process.
 */
static int scan_register(void *arg, const void *dof, uint64_t address, uint64_t data,
			 const struct dt_mapping *map)
{
	const struct scan *scan = arg;
	dtrace_ft_register_t reg = {
		.dtfr_pid = scan->pid,
		.dtfr_dof = address,
		.dtfr_helper = {.dofhp_dof = (uintptr_t)dof, .dofhp_addr = data},
	};

	(void)map;
	traced_register(scan->session, &reg);
	return 0;
}

/* Return whether the pattern of a provider can match providers of processes. */
static bool means_processes(const char *provider)
{
	size_t len = strlen(provider);

	return !len || isdigit((unsigned char)provider[len - 1]) || strpbrk(provider, "*?[\\");
}

bool traced_scan(struct traced_session *session, const char *provider)
{
	struct scan scan = {.session = session};
	DIR *processes;

	if (!means_processes(provider))
		return false;
	processes = dt_proc_list(0);
	elf_version(EV_CURRENT);
	while ((scan.pid = dt_proc_next(processes)))
		if (scan.pid != getpid() && !traced_by_pid(session, scan.pid) &&
		    traced_allowed(session, scan.pid) == 0 &&
		    dt_mappings(scan.pid, mapping_has_sites, &scan) == 1)
			process_sites_read(scan.pid, scan_register, &scan);
	dt_proc_end(processes);
	return true;
}

void traced_scan_fini(struct traced_session *session)
{
	struct traced_file *next;

	for (size_t i = 0; i < TRACED_FILES; i++)
		for (struct traced_file *file = session->files[i]; file; file = next) {
			next = file->next;
			free(file);
		}
}
