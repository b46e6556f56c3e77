/* SPDX-License-Identifier: MIT */
/*
 * process_sites.c - the probes of a process from outside. Its files tell where site records and
 * declarations are. They are read from the process's memory, and merged into the DOF that drti
 * would make. Sites of SystemTap's header are found by their notes.
 *
 * Probes are registered on a process's behalf if it was started without the module or was told not
 * to register, or if its libraries have SystemTap's notes only.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gelf.h>
#include <dtrace/helper.h>
#include <dtrace/limits.h>
#include "dofbuild.h"
#include "../arena.h"
#include "../process/memory.h"
#include "../symbols/segment.h"
#include "process_notes.h"
#include "process_sites.h"

#define OWN	    "/memfd:dtrace-" /* files of dtrace, of which there may be thousands */
#define FUNCLEN	    4096	     /* g++ lists the arguments of templates */
#define SECTION_MAX (64 << 20)	     /* larger sections are not read */

/* The two sections of an object, copied from the process. */
struct sections {
	char *sites, *dof;
	size_t sitessize, dofsize;
	uint64_t sitesaddr, dofaddr;
	uint64_t helperdata; /* that helpers are given as arg3 */
	Elf *elf;	     /* the file; NULL: it is not one */
	uint64_t bias;	     /* of the mapping */
	const struct machine *machine;
};

/* The process whose objects are read. */
struct target {
	pid_t pid;
	int mem; /* its memory */
	process_sites_f *func;
	void *arg;
	dt_mapping_filter_f *filter; /* whether a file is read; NULL: all are */
	void *filterarg;
};

/* Return a copy of a section of the process, for the caller to free; NULL if it cannot be read. */
static char *section_read(const struct target *tg, uint64_t addr, size_t size)
{
	char *data = size > 0 && size <= SECTION_MAX ? malloc(size) : NULL;

	if (data && pread(tg->mem, data, size, addr) != (ssize_t)size) {
		free(data);
		data = NULL;
	}
	return data;
}

/*
 * Set *bias to what is added to addresses of a mapped file. Return false if its code has no such
 * bytes.
 */
static bool elf_bias(Elf *elf, uint64_t start, uint64_t offset, uint64_t *bias)
{
	struct dt_segments segs;
	bool found = dt_segments_read(&segs, elf) && dt_segments_bias(&segs, start, offset, bias);

	dt_segments_free(&segs);
	return found;
}

/* Take the first address other than 0 in section dtrace_helper: each copy of drti has one. */
static void helper_data_take(const struct target *tg, struct sections *secs, const GElf_Shdr *sh,
			     uint64_t bias)
{
	const size_t word = (size_t)secs->machine->bits / 8;
	char *data = section_read(tg, sh->sh_addr + bias, sh->sh_size);

	for (size_t at = 0; data && secs->helperdata == 0 && at + word <= sh->sh_size; at += word)
		memcpy(&secs->helperdata, data + at, word);
	free(data);
}

/* Copy a section if it has probes. */
static void section_take(const struct target *tg, struct sections *secs, const char *name,
			 const GElf_Shdr *sh, uint64_t bias)
{
	if (strcmp(name, DTRACE_SITES_SECTION) == 0 && !secs->sites) {
		secs->sites = section_read(tg, sh->sh_addr + bias, sh->sh_size);
		secs->sitessize = sh->sh_size;
		secs->sitesaddr = sh->sh_addr + bias;
	} else if (strcmp(name, DTRACE_DOF_SECTION) == 0 && !secs->dof) {
		secs->dof = section_read(tg, sh->sh_addr + bias, sh->sh_size);
		secs->dofsize = sh->sh_size;
		secs->dofaddr = sh->sh_addr + bias;
	} else if (strcmp(name, DTRACE_HELPER_SECTION) == 0) {
		helper_data_take(tg, secs, sh, bias);
	}
}

/* Return the machine of a file; NULL if it is no ELF file, or cannot have probes. */
static const struct machine *elf_machine(Elf *elf)
{
	GElf_Ehdr header;

	return elf && gelf_getehdr(elf, &header) ? machine_of(&header) : NULL;
}

/*
 * Read the sections of a file. secs->elf is NULL if it cannot be traced, else the caller ends it.
 */
static void sections_find(const struct target *tg, int fd, uint64_t start, uint64_t offset,
			  struct sections *secs)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	size_t strs;
	uint64_t bias;
	GElf_Shdr sh;

	memset(secs, 0, sizeof(*secs));
	secs->machine = elf_machine(elf);
	if (secs->machine && secs->machine->traced && elf_getshdrstrndx(elf, &strs) == 0 &&
	    elf_bias(elf, start, offset, &bias)) {
		secs->elf = elf;
		secs->bias = bias;
		for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
			const char *name =
				gelf_getshdr(scn, &sh) ? elf_strptr(elf, strs, sh.sh_name) : NULL;

			if (name && (sh.sh_flags & SHF_ALLOC))
				section_take(tg, secs, name, &sh, bias);
		}
	} else {
		elf_end(elf);
	}
}

/* Call the function with the ustack helpers of an object as they are. Return what it returned. */
static int object_helpers(const struct target *tg, const struct sections *secs,
			  const struct dt_mapping *map)
{
	size_t size;
	int rv = 0;

	for (size_t at = 0; secs->dof && at < secs->dofsize && rv == 0;
	     at += (size + 7) & ~(size_t)7) {
		size = dofbuild_file_size(secs->dof + at, secs->dofsize - at);
		if (size == 0)
			break;
		if (dofbuild_has(secs->dof + at, size, DOF_SECT_ECBDESC))
			rv = tg->func(tg->arg, secs->dof + at, secs->dofaddr + at, secs->helperdata,
				      map);
	}
	return rv;
}

/* Add the declarations of an object. */
static void build_declarations(struct dofbuild *b, const struct sections *secs)
{
	size_t at = 0, size;

	while (secs->dof && at < secs->dofsize) {
		size = dofbuild_declare(b, secs->dof + at, secs->dofsize - at);
		if (size == 0)
			return;
		at += (size + 7) & ~(size_t)7;
	}
}

/* Add the sites of an object. */
static void build_sites(const struct target *tg, struct dofbuild *b, const struct sections *secs)
{
	size_t size;

	for (size_t at = 0; at < secs->sitessize; at += size) {
		const struct dtrace_site_record *rec = (const void *)(secs->sites + at);
		size_t left = secs->sitessize - at;
		uint64_t addr = secs->sitesaddr + at;
		char func[FUNCLEN] = "";

		if (left >= sizeof(*rec) && rec->func != 0 &&
		    pread(tg->mem, func, sizeof(func) - 1,
			  addr + offsetof(struct dtrace_site_record, func) + rec->func) <= 0)
			*func = '\0';
		size = dofbuild_site(b, rec, left, addr, *func != '\0' ? func : NULL);
		if (size == 0)
			return;
	}
}

/* Return whether there is a record of the site whose trap is at pc. */
static bool site_known(void *arg, uint64_t pc)
{
	const struct sections *secs = arg;
	const struct dtrace_site_record *rec;
	size_t offset = offsetof(struct dtrace_site_record, pc);

	for (size_t at = 0; secs->sites && at + sizeof(*rec) <= secs->sitessize;
	     at += rec->size != 0 ? rec->size : 4) {
		rec = (const void *)(secs->sites + at);
		if (rec->size % 4 != 0)
			return false;
		if (secs->sitesaddr + at + offset + (int64_t)rec->pc == pc)
			return true;
	}
	return false;
}

/* Call the function with the probes of an object. Return what it returned. */
static int object_dof(const struct target *tg, const struct sections *secs,
		      const struct dt_mapping *map)
{
	const uint64_t address = secs->sites ? secs->sitesaddr : map->start;
	struct arena arena = {0};
	struct dofbuild b;
	size_t size;
	void *dof;
	int rv = 0;

	dofbuild_init(&b, secs->machine->operands, arena_alloc_from, &arena);
	build_declarations(&b, secs);
	if (secs->sites)
		build_sites(tg, &b, secs);
	dt_notes_build(&b, secs->machine, secs->elf, secs->bias, site_known, (void *)secs);
	size = dofbuild_size(&b);
	dof = size != 0 && size <= DTRACE_HELPER_MAXSIZE ? calloc(1, size) : NULL;
	if (dof) {
		dofbuild_write(&b, dof, address);
		rv = tg->func(tg->arg, dof, address, 0, map);
	}
	free(dof);
	arena_free(&arena);
	return rv;
}

/* Read the probes of a mapping; a function for dt_mappings(). */
static int mapping_dof(void *arg, const struct dt_mapping *map)
{
	const struct target *tg = arg;
	struct sections secs;
	int fd, rv = 0;

	if (strncmp(map->path, OWN, strlen(OWN)) == 0 ||
	    (tg->filter && !tg->filter(tg->filterarg, map)))
		return 0;
	fd = dt_mapping_open(tg->pid, map);
	if (fd == -1)
		return 0;
	sections_find(tg, fd, map->start, map->offset, &secs);
	/* Of files that are mapped later, the runtime registers what it has of its own. */
	if (secs.elf && !(tg->filter && (secs.sites || secs.dof))) {
		rv = object_dof(tg, &secs, map);
		if (rv == 0)
			rv = object_helpers(tg, &secs, map);
	}
	elf_end(secs.elf);
	close(fd);
	free(secs.sites);
	free(secs.dof);
	return rv;
}

/* Read the files of a process. Return what tg->func returned, or 0. */
static int target_read(struct target *tg)
{
	int rv;

	tg->mem = dt_memory_open(tg->pid, O_RDONLY);
	if (tg->mem == -1)
		return 0;
	elf_version(EV_CURRENT);
	rv = dt_mappings(tg->pid, mapping_dof, tg);
	close(tg->mem);
	return rv;
}

int process_sites_read(pid_t pid, process_sites_f *func, void *arg)
{
	struct target tg = {.pid = pid, .func = func, .arg = arg};

	return target_read(&tg);
}

/* ---- registration ---- */

/* The process for which probes are registered. */
struct proxy {
	dtrace_hdl_t *dtp;
	pid_t pid;
	char why[256]; /* the reason of an error, or empty */
};

#define MOVES 8 /* of a file that is mapped again and again */

/*
 * Register DOF. Return 0, also if the process has registered it itself, or has unmapped the file;
 * else errno.
 */
static int proxy_register(void *arg, const void *dof, uint64_t address, uint64_t data,
			  const struct dt_mapping *map)
{
	struct proxy *proxy = arg;
	dtrace_ft_register_t reg = {
		.dtfr_pid = proxy->pid,
		.dtfr_dof = address,
		.dtfr_errmsg = (uintptr_t)proxy->why,
		.dtfr_errlen = sizeof(proxy->why),
		.dtfr_helper = {.dofhp_dof = (uintptr_t)dof, .dofhp_addr = data}};

	int error = EFAULT;

	for (int i = 0; i < MOVES && error == EFAULT; i++) {
		error = dt_world_process(proxy->dtp, DTRACEFTIOC_REGISTER, &reg) != -1 ? 0 : errno;
		if (error == EFAULT && !dt_mapping_is_there(proxy->pid, map))
			return 0;
	}
	return error == EALREADY ? 0 : error;
}

int process_sites_register(dtrace_hdl_t *dtp, pid_t pid, dt_mapping_filter_f *filter, void *arg)
{
	struct proxy proxy = {.dtp = dtp, .pid = pid};
	struct target tg = {.pid = pid,
			    .func = proxy_register,
			    .arg = &proxy,
			    .filter = filter,
			    .filterarg = arg};
	int err;

	if (dt_world_lacks_processes(dtp))
		return 0;
	err = target_read(&tg);
	if (err == 0)
		return 0;
	return dt_set_error(dtp, EDT_PROC, "failed to register the probes of process %d: %s",
			    (int)pid, proxy.why[0] ? proxy.why : strerror(err));
}
