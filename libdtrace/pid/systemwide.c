/* SPDX-License-Identifier: MIT */
/*
 * systemwide.c - the provider pid*: probes in a file, which fire in every process that maps it, now
 * and later. The file is one that a process has mapped under the name in the description, or one in
 * the usual folders of programs and libraries, or the description has its path. Files that are
 * mapped under that name later, as after an update or in a container, are added when they are seen.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include "../process/procfs.h"
#include "impl.h"

#define MAXFILES 128 /* files that one description may match */

/*
 * Files that match, and processes that have mapped each: the first, and all that have a debugger.
 */
struct found {
	const dtrace_probedesc_t *desc;
	struct pid_maps maps; /* start 0: no process has */
	pid_t pids[MAXFILES];
	struct pid_debuggees debuggees[MAXFILES];
	pid_t pid; /* the current process */
};

/* Add the file of a mapping. Return false without memory, or if there are too many. */
static bool found_add(struct found *fd, const struct dt_mapping *map)
{
	size_t n = fd->maps.n;

	if (n == MAXFILES || pid_maps_add(&fd->maps, map) != 0)
		return false;
	if (fd->maps.n > n)
		fd->pids[n] = fd->pid;
	return true;
}

/*
 * Add the current process to the debuggees of a file that was found. Return false without memory.
 */
static bool found_add_debuggee(struct found *fd, const struct dt_mapping *map)
{
	size_t i = pid_maps_find(&fd->maps, map) - fd->maps.maps;

	return pid_debuggees_add(&fd->debuggees[i], fd->pid, map);
}

/* Add the file of a mapping if it matches; a function for dt_mappings(). */
static int found_mapping(void *arg, const struct dt_mapping *map)
{
	struct found *fd = arg;

	if (map->path[0] != '/' || map->ino == 0 ||
	    !pid_module_matches(fd->desc->dtpd_mod, map->path, false))
		return 0;
	if (!found_add(fd, map) || (pid_is_debugged(fd->pid) && !found_add_debuggee(fd, map)))
		return -1;
	return 0;
}

/* Find files that processes have mapped. */
static void find_mapped(struct found *fd)
{
	DIR *processes = dt_proc_list(0);

	do
		fd->pid = dt_proc_next(processes);
	while (fd->pid && dt_mappings(fd->pid, found_mapping, fd) == 0);
	fd->pid = 0;
	dt_proc_end(processes);
}

/* Find the file at a path. */
static void find_path(struct found *fd, const char *path)
{
	struct dt_mapping map = {.path = path};
	struct stat st;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return;
	map.ino = st.st_ino;
	map.dev = (uint64_t)major(st.st_dev) << 32 | minor(st.st_dev);
	found_add(fd, &map);
}

/* Find the files of a folder. */
static void find_directory(struct found *fd, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char file[DT_MAPPATH];

	while (dir && (entry = readdir(dir))) {
		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		if (pid_module_matches(fd->desc->dtpd_mod, file, false))
			find_path(fd, file);
	}
	if (dir)
		closedir(dir);
}

/* Find files that no process has mapped, where programs and libraries are installed. */
static void find_installed(struct found *fd)
{
	static const char *const dirs[] = {
		"/usr/local/lib",
		"/lib/x86_64-linux-gnu",
		"/usr/lib/x86_64-linux-gnu",
		"/lib64",
		"/usr/lib64",
		"/lib",
		"/usr/lib",
		"/usr/local/bin",
		"/usr/local/sbin",
		"/usr/bin",
		"/usr/sbin",
		"/bin",
		"/sbin",
	};

	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs) && fd->maps.n == 0; i++)
		find_directory(fd, dirs[i]);
}

/* Free the lists. */
static void found_free(struct found *fd)
{
	for (size_t i = 0; i < MAXFILES; i++)
		free(fd->debuggees[i].list);
	pid_maps_free(&fd->maps);
}

/* Find the files that match. */
static void files_find(struct found *fd)
{
	char literal[DTRACE_MODNAMELEN];

	pid_unescape(fd->desc->dtpd_mod, literal, sizeof(literal));
	find_mapped(fd);
	if (fd->maps.n == 0 && *literal == '/')
		find_path(fd, literal);
	else if (fd->maps.n == 0)
		find_installed(fd);
}

/*
 * Set a mapped object that stands for all processes. The choice of an ifunc is looked for in a
 * process that has the file. Return false if the file cannot be read.
 */
static bool mapped_object_find(struct mapped_object *mapped, struct dt_pid *pd, pid_t pid,
			       const struct pid_map *map)
{
	mapped_object_init(mapped, pd, pid, map);
	mapped->process = map->map.start != 0 ? pid : 0;
	mapped->systemwide = true;
	return mapped->obj;
}

/* Make the probes in all files. Return 0, or -1 with err. */
static int files_describe(dtrace_hdl_t *dtp, struct found *fd, struct pid_outcome *out,
			  struct dt_pid_error *err)
{
	struct dt_pid *pd = pid_get(dtp);
	struct mapped_object mapped;
	int rv = 0;

	if (!pd)
		return pid_fail_memory(err);
	for (size_t i = 0; i < fd->maps.n && rv == 0; i++)
		if (mapped_object_find(&mapped, pd, fd->pids[i], &fd->maps.maps[i])) {
			mapped.others = &fd->debuggees[i];
			rv = pid_describe_object(dtp, &mapped, fd->desc, out, err);
		}
	return rv;
}

/* Return 0, or -1 with err if a description names what does not exist. */
static int outcome_judge(const dtrace_probedesc_t *desc, const struct pid_outcome *out,
			 struct dt_pid_error *err)
{
	if (out->nobjects == 0)
		return pid_fail(err, DT_PID_LIB, "write its path: pid*:/path/file:function:entry",
				"no process has mapped a file %s, and none is installed",
				desc->dtpd_mod);
	if (out->nfunctions == 0 && pid_desc_is_one(desc))
		return pid_fail(err, DT_PID_FUNC, NULL, "failed to find function %s in %s",
				desc->dtpd_func, out->module);
	return 0;
}

/* ---- files that come later ---- */

/* Make the probes of a description in a file that a process has mapped. */
static void systemwide_add(dtrace_hdl_t *dtp, struct pid_systemwide *ev, pid_t pid,
			   const struct pid_map *map)
{
	struct pid_outcome out = {0};
	struct dt_pid_error err;
	struct mapped_object mapped;

	if (!mapped_object_find(&mapped, dtp->pid, pid, map))
		return;
	if (*ev->module != '\0')
		mapped.module = ev->module;
	ev->full = ev->seen.n >= MAXFILES || pid_maps_add(&ev->seen, &map->map) != 0;
	if (ev->full)
		pid_tell(dtp, 0, "pid*: too many files of one name: no more are traced");
	else if (pid_describe_object(dtp, &mapped, &ev->desc, &out, &err) != 0)
		pid_tell(dtp, 0, err.message);
	pid_skips_tell(dtp, &ev->desc, 0, &out.skips);
	pid_skips_free(&out.skips);
	dt_pid_report_failed(dtp);
}

/* Handle a new mapping: a dt_mapevent_f. */
static void systemwide_mapped(void *arg, pid_t pid, const struct dt_mapping *map)
{
	const struct pid_map as = {.map = *map};
	dtrace_hdl_t *dtp = arg;

	for (struct pid_systemwide *ev = dtp->pid->systemwide; ev; ev = ev->next)
		if (!ev->full && pid_module_matches(ev->desc.dtpd_mod, map->path, false) &&
		    !pid_maps_have(&ev->seen, map))
			systemwide_add(dtp, ev, pid, &as);
}

void pid_systemwide_follow(struct dt_pid *pd)
{
	if (pd->events)
		dt_mapevents_read(pd->events);
}

/* Begin to collect events, before the look at all processes, so that no mapping is missed. */
static void systemwide_follow(dtrace_hdl_t *dtp)
{
	struct dt_pid *pd = pid_get(dtp);

	if (pd && !pd->events)
		pd->events = dt_mapevents_open(systemwide_mapped, dtp);
}

/*
 * Rename the description to the enabled probes: one module, for all files of that name, or for
 * those that match a pattern.
 */
static void systemwide_rename(struct pid_systemwide *ev, dtrace_probedesc_t *desc,
			      struct pid_outcome *out)
{
	if (out->nobjects == 0 && *desc->dtpd_mod != '/' && !pid_is_glob(desc->dtpd_mod)) {
		out->nobjects = 1;
		pid_unescape(desc->dtpd_mod, out->module, sizeof(out->module));
	}
	pid_desc_rename(desc, out);
	if (!pid_is_glob(desc->dtpd_mod))
		pid_unescape(desc->dtpd_mod, ev->module, sizeof(ev->module));
	snprintf(desc->dtpd_provider, sizeof(desc->dtpd_provider), "pid\\*");
}

/*
 * Keep a description for files that are mapped later. It takes over fd->maps. Return false without
 * memory.
 */
static bool systemwide_keep(dtrace_hdl_t *dtp, struct found *fd, dtrace_probedesc_t *desc,
			    struct pid_outcome *out)
{
	struct pid_systemwide *ev = malloc(sizeof(*ev));
	struct dt_pid *pd = pid_get(dtp);

	if (!ev || !pd) {
		free(ev);
		return false;
	}
	*ev = (struct pid_systemwide){.next = pd->systemwide, .desc = *desc, .seen = fd->maps};
	pd->systemwide = ev;
	fd->maps = (struct pid_maps){0};
	systemwide_rename(ev, desc, out);
	return true;
}

void pid_systemwide_free(struct dt_pid *pd)
{
	struct pid_systemwide *next;

	for (struct pid_systemwide *ev = pd->systemwide; ev; ev = next) {
		next = ev->next;
		pid_maps_free(&ev->seen);
		free(ev);
	}
	dt_mapevents_close(pd->events);
}

/* ---- descriptions ---- */

int pid_systemwide_describe(dtrace_hdl_t *dtp, dtrace_probedesc_t *desc, bool later,
			    struct dt_pid_error *err)
{
	struct found fd = {.desc = desc};
	struct pid_outcome out = {0};
	int rv;

	if (*desc->dtpd_mod == '\0' || strcmp(desc->dtpd_func, "-") == 0)
		return later ? 0
			     : pid_fail(err, DT_PID_LIB, "write pid*:libc:malloc:entry, say",
					"provider pid* needs a module and functions");
	systemwide_follow(dtp);
	files_find(&fd);
	if (fd.maps.n == MAXFILES)
		rv = pid_fail(err, DT_PID_LIB, "name fewer of them",
			      "%s stands for more files than pid* takes at once", desc->dtpd_mod);
	else
		rv = files_describe(dtp, &fd, &out, err);
	if (rv == 0 && !later)
		rv = outcome_judge(desc, &out, err);
	if (rv == 0)
		pid_skips_tell(dtp, desc, 0, &out.skips);
	if (rv == 0 && !systemwide_keep(dtp, &fd, desc, &out))
		rv = pid_fail_memory(err);
	pid_skips_free(&out.skips);
	found_free(&fd);
	return rv;
}
