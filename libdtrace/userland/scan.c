/* SPDX-License-Identifier: MIT */
/*
 * scan.c - finds running processes of the user that have static probes, or keep DOF of probes that
 * they have made at run time.
 */
#include <ctype.h>
#include <errno.h>
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <gelf.h>
#include <dtrace/join.h>
#include <dtrace/limits.h>
#include <dtrace/site.h>
#include "../process/mappings.h"
#include "../process/memory.h"
#include "../process/procfs.h"
#include "../usdt/process_sites.h"
#include "glob.h"
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
	bool files; /* files are searched, until one has sites */
	bool has_sites;
	bool kept;	   /* what the process keeps is read */
	bool failed;	   /* something of it could not be read */
	int memory;	   /* of the process; -1: not open */
	uint64_t memfiles; /* device of files in memory */
	/* what the process keeps */
	uint32_t nkept;
	uint64_t bytes;
};

#define FILE_BUCKET(ino) ((ino) % TRACED_FILES)

/* Return whether a mapped file has sites. */
static bool mapping_has_sites(const struct scan *scan, const struct dt_mapping *map)
{
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

#define KEPT_PATH "/memfd:" DTRACE_JOIN_KEPT
#define KEPT_MAX  (sizeof(struct dtrace_join_kept) + DTRACE_HELPER_MAXSIZE + 4096)

/* Return whether the head of what a process keeps can be right. */
static bool kept_valid(const struct dtrace_join_kept *kept)
{
	return kept->hello.version == DTRACE_JOIN_VERSION && kept->hello.machine == EM_X86_64 &&
	       kept->hello.instance && kept->dof.number >= 0 && *kept->dof.helper.dofhp_mod;
}

/* Register what a process keeps in size bytes, if it can be right. map: where they are. */
static void kept_register(const struct scan *scan, const struct dt_mapping *map,
			  const struct dtrace_join_kept *kept, size_t size)
{
	const dof_hdr_t *header = (const void *)(kept + 1);
	dtrace_ft_register_t reg = {.dtfr_pid = scan->pid,
				    .dtfr_dof = map->start + sizeof(*kept),
				    .dtfr_helper = kept->dof.helper};

	if (!kept_valid(kept) || header->dofh_loadsz > size - sizeof(*kept))
		return;
	reg.dtfr_helper.dofhp_dof = (uintptr_t)header;
	traced_register_kept(scan->session, &reg, kept->hello.instance, kept->dof.number);
}

/* Return whether the session has what a process keeps in a mapping already. */
static bool kept_known(const struct scan *scan, const struct dt_mapping *map)
{
	struct dtrace_join_kept head;

	return pread(scan->memory, &head, sizeof(head), (off_t)map->start) == sizeof(head) &&
	       kept_valid(&head) &&
	       traced_has_kept(scan->session, scan->pid, map->start + sizeof(head),
			       head.hello.instance, head.dof.number);
}

/*
 * Read what a process keeps in a mapping, unless the session has it. Skip what exceeds the limits
 * of a process.
 */
static void kept_read(struct scan *scan, const struct dt_mapping *map)
{
	const uint64_t size = map->end - map->start;
	struct dtrace_join_kept *kept;

	if (size < sizeof(*kept) + sizeof(dof_hdr_t) || size > KEPT_MAX ||
	    size > DTRACE_HELPER_MAXBYTES - scan->bytes || scan->nkept == DTRACE_HELPER_MAXREGS)
		return;
	scan->bytes += size;
	scan->nkept++;
	if (scan->memory == -1)
		scan->memory = dt_memory_open(scan->pid, O_RDONLY);
	if (kept_known(scan, map))
		return;
	kept = malloc(size);
	if (kept && pread(scan->memory, kept, size, (off_t)map->start) == (ssize_t)size)
		kept_register(scan, map, kept, size);
	else
		scan->failed = true;
	free(kept);
}

/* Look at a mapping; a callback of dt_mappings_all(). */
static int mapping_look(void *arg, const struct dt_mapping *map)
{
	struct scan *scan = arg;

	if (scan->kept && map->dev == scan->memfiles && strcmp(map->path, KEPT_PATH) == 0)
		kept_read(scan, map);
	else if (scan->files && !scan->has_sites && map->executable && *map->path)
		scan->has_sites = mapping_has_sites(scan, map);
	return 0;
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
	return !glob_is_literal(provider) || isdigit((unsigned char)provider[strlen(provider) - 1]);
}

/*
 * Scan a process.
 *	files		also for static probes, unless it is known
 *	memfiles	device of files in memory; 0: not known
 * What processes of other users keep is not read: reading memory waits for the server of a file,
 * and they may choose the file.
 */
static void process_scan(struct traced_session *session, pid_t pid, bool files, uint64_t memfiles)
{
	struct scan scan = {.session = session,
			    .pid = pid,
			    .files = files && !traced_by_pid(session, pid),
			    .memory = -1,
			    .memfiles = memfiles};
	uid_t owner;

	scan.kept = memfiles && dt_proc_owner(pid, &owner) == 0 && owner == session->uid;
	dt_mappings_all(pid, mapping_look, &scan);
	scan.failed |= errno != 0;
	if (scan.memory != -1)
		close(scan.memory);
	if (scan.has_sites)
		process_sites_read(pid, scan_register, &scan);
	if (scan.kept && !scan.failed)
		traced_sweep_kept(session, pid);
}

/* Return the device of files in memory; 0: not known. */
static uint64_t memfiles_device(const struct traced_session *session)
{
	struct stat st;

	return fstat(session->control_fd, &st) == 0
		       ? (uint64_t)major(st.st_dev) << 32 | minor(st.st_dev)
		       : 0;
}

static void processes_scan(struct traced_session *session, bool files)
{
	const uint64_t memfiles = memfiles_device(session);
	DIR *processes = dt_proc_list(0);
	pid_t pid;

	session->nscans++;
	elf_version(EV_CURRENT);
	while ((pid = dt_proc_next(processes)))
		if (pid != getpid() && traced_allowed(session, pid) == 0)
			process_scan(session, pid, files, memfiles);
	dt_proc_end(processes);
}

bool traced_scan(struct traced_session *session, const char *provider)
{
	if (!means_processes(provider))
		return false;
	processes_scan(session, true);
	return true;
}

void traced_scan_again(struct traced_session *session)
{
	if (session->nscans)
		processes_scan(session, false);
}

void traced_scan_process(struct traced_session *session, pid_t pid)
{
	elf_version(EV_CURRENT);
	if (traced_allowed(session, pid) == 0)
		process_scan(session, pid, true, memfiles_device(session));
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
