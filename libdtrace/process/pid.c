/* SPDX-License-Identifier: MIT */
/*
 * pid.c - the pid provider. A description like pid123:libc.so.6:malloc:entry names a process; its
 * files are read, what the description means in them becomes sites (pid_site.c), and those are
 * registered with the kernel, which makes probes of them. They end with the handle.
 *
 * Descriptions are kept: when the process maps a file later, the sites in it are added.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <dtrace/fasttrap.h>
#include "pid_impl.h"

#define MAXSTAR		16		/* files that a description of pid* may stand for */

/* An executable mapping of a process; one for each file. */
struct pid_map {
	struct dt_mapping map;		/* path: malloc'ed */
	bool program;			/* it is what the process executes: a.out */
};

struct pid_maps {
	struct pid_map *maps;
	size_t n;
	char program[DT_MAPPATH];	/* path of it */
};

/* A file that was opened; shared by all targets. */
struct pid_file {
	struct pid_file *next;
	uint64_t dev, ino;
	char *path;
	struct pid_object *obj;		/* NULL: it cannot be read */
};

struct pid_want {
	struct pid_want *next;
	dtrace_probedesc_t desc;	/* as the program has it */
};

struct pid_target {
	struct pid_target *next;
	pid_t pid;
	int fd;				/* pidfd */
	struct pid_want *wants;
	struct pid_maps seen;		/* what the wants have been looked for in */
};

struct dt_pid {
	struct pid_target *targets;
	struct pid_file *files;
};

static struct dt_pid *pid_get(dtrace_hdl_t *dtp)
{
	struct dt_procs *procs = dt_procs(dtp);

	if (procs != NULL && procs->pid == NULL)
		procs->pid = calloc(1, sizeof(*procs->pid));
	return procs != NULL ? procs->pid : NULL;
}

static int fail_memory(struct dt_pid_error *err)
{
	return pid_fail(err, DT_PID_CREATE, NULL, "out of memory");
}

/* ---- mappings ---- */

static void maps_free(struct pid_maps *maps)
{
	for (size_t i = 0; i < maps->n; i++)
		free((char *)maps->maps[i].map.path);
	free(maps->maps);
	maps->maps = NULL;
	maps->n = 0;
}

static bool maps_have(const struct pid_maps *maps, const struct dt_mapping *map)
{
	for (size_t i = 0; i < maps->n; i++)
		if (maps->maps[i].map.ino == map->ino && maps->maps[i].map.dev == map->dev)
			return true;
	return false;
}

static int maps_add(void *arg, const struct dt_mapping *map)
{
	struct pid_maps *maps = arg;
	struct pid_map *more;
	char *path;

	if (map->path[0] != '/' || map->ino == 0 || maps_have(maps, map))
		return 0;
	more = realloc(maps->maps, (maps->n + 1) * sizeof(*more));
	path = more != NULL ? strdup(map->path) : NULL;
	if (more != NULL)
		maps->maps = more;
	if (path == NULL)
		return -1;
	more[maps->n] = (struct pid_map){ *map, strcmp(path, maps->program) == 0 };
	more[maps->n++].map.path = path;
	return 0;
}

/* What a process has mapped; false without memory. */
static bool maps_read(struct pid_maps *maps, pid_t pid)
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	n = readlink(link, maps->program, sizeof(maps->program) - 1);
	maps->program[n > 0 ? n : 0] = '\0';
	dt_path_undelete(maps->program);
	return dt_mappings(pid, maps_add, maps) == 0;
}

/* ---- files ---- */

/* The file that a process has mapped; NULL: it cannot be read, or is none with code. */
static struct pid_object *file_object(struct dt_pid *pd, pid_t pid, const struct dt_mapping *map)
{
	char path[DT_MAPPATH];
	struct pid_file *file;

	for (file = pd->files; file != NULL; file = file->next)
		if (file->dev == map->dev && file->ino == map->ino &&
		    strcmp(file->path, map->path) == 0)
			return file->obj;
	file = calloc(1, sizeof(*file));
	if (file == NULL)
		return NULL;
	file->path = strdup(map->path);
	if (file->path == NULL) {
		free(file);
		return NULL;
	}
	if (dt_mapping_path(pid, map, path, sizeof(path)))
		file->obj = pid_object_open(path, map->path);
	file->dev = map->dev;
	file->ino = map->ino;
	file->next = pd->files;
	pd->files = file;
	return file->obj;
}

/* False: there is nothing that could be probed. */
static bool place_init(struct pid_place *place, struct dt_pid *pd, pid_t pid,
		       const struct pid_map *map)
{
	*place = (struct pid_place){ .process = pid, .debugged = pid_is_debugged(pid) };
	place->obj = file_object(pd, pid, &map->map);
	return place->obj != NULL &&
	       pid_object_bias(place->obj, map->map.start, map->map.offset, &place->bias);
}

/* ---- registering ---- */

static int register_failed(struct dt_pid_error *err, const struct pid_batch *batch, int error,
			   const char *why)
{
	switch (error) {
	case ESRCH:
		return pid_fail(err, DT_PID_GRAB, NULL, "the process has ended");
	case EPERM: case EACCES:
		return pid_fail(err, DT_PID_GRAB, "only root may trace processes of others",
				"failed to grab the process: permission denied");
	case ENOSPC: case E2BIG:
		return pid_fail(err, DT_PID_CREATE,
				"name fewer functions, or entry and return only",
				"failed to create %lu probes: that are more than one process may "
				"have", batch->nsites);
	default:
		return pid_fail(err, DT_PID_CREATE, NULL, "failed to create probes: %s",
				*why != '\0' ? why : strerror(error));
	}
}

static int batch_request(dtrace_hdl_t *dtp, const struct pid_place *place, const void *dof,
			 char *why, size_t len)
{
	dtrace_ft_register_t reg = {
		.dtfr_pid = place->process,
		.dtfr_flags = DTRACE_FT_PID,
		.dtfr_dof = place->bias,
		.dtfr_errmsg = (uintptr_t)why,
		.dtfr_errlen = len,
		.dtfr_helper = { .dofhp_dof = (uintptr_t)dof },
	};

	snprintf(reg.dtfr_helper.dofhp_mod, sizeof(reg.dtfr_helper.dofhp_mod), "%s",
		 place->obj->name);
	if (ioctl(dt_fasttrap_fd(dtp), DTRACEFTIOC_REGISTER, &reg) != -1 || errno == EALREADY)
		return 0;
	return errno;
}

/* Make the sites known to the kernel. */
static int batch_register(dtrace_hdl_t *dtp, struct pid_batch *batch, const struct pid_place *place,
			  struct dt_pid_error *err)
{
	size_t size = batch->nsites > 0 ? dofbuild_size(&batch->b) : 0;
	char why[256] = "";
	void *dof;
	int error;

	if (batch->nsites == 0)
		return 0;
	if (size > DTRACE_HELPER_MAXSIZE)
		return register_failed(err, batch, E2BIG, why);
	if (dt_fasttrap_fd(dtp) == -1)
		return pid_fail(err, DT_PID_NODEV, "load it: modprobe dtrace",
				"the kernel module is not there to trace processes");
	dof = size > 0 ? calloc(1, size) : NULL;
	if (dof == NULL)
		return fail_memory(err);
	dofbuild_write(&batch->b, dof, place->bias);
	error = batch_request(dtp, place, dof, why, sizeof(why));
	free(dof);
	return error == 0 ? 0 : register_failed(err, batch, error, why);
}

/* What came of a description in all its places. */
struct outcome {
	unsigned int nplaces;		/* files whose name matches */
	unsigned long nsites, nfunctions, nunsafe, nrefused, nbreakpoints;
	char module[DTRACE_MODNAMELEN];	/* the last of these files */
};

static int place_describe(dtrace_hdl_t *dtp, const struct pid_place *place,
			  const dtrace_probedesc_t *desc, struct outcome *out,
			  struct dt_pid_error *err)
{
	struct pid_batch batch;
	int rv;

	pid_batch_init(&batch, place);
	rv = pid_sites(&batch, place, desc, err);
	if (rv == 0)
		rv = batch_register(dtp, &batch, place, err);
	out->nplaces++;
	out->nsites += batch.nsites;
	out->nfunctions += batch.nfunctions;
	out->nunsafe += batch.nunsafe;
	out->nrefused += batch.nrefused;
	out->nbreakpoints += batch.nbreakpoints;
	snprintf(out->module, sizeof(out->module), "%s", place->obj->name);
	pid_batch_fini(&batch);
	return rv;
}

/* ---- a description in a process ---- */

/* The files of maps, less those that were there before, in which the description is looked for. */
static int maps_describe(dtrace_hdl_t *dtp, pid_t pid, const struct pid_maps *maps,
			 const struct pid_maps *before, const dtrace_probedesc_t *desc,
			 struct outcome *out, struct dt_pid_error *err)
{
	struct dt_pid *pd = pid_get(dtp);
	struct pid_place place, program;
	bool has_program = false;
	int rv = 0;

	for (size_t i = 0; i < maps->n && !has_program; i++)
		has_program = maps->maps[i].program && place_init(&program, pd, pid, &maps->maps[i]);
	for (size_t i = 0; i < maps->n && rv == 0; i++) {
		const struct pid_map *map = &maps->maps[i];

		if ((before != NULL && maps_have(before, &map->map)) ||
		    !pid_module_matches(desc->dtpd_mod, map->map.path, map->program) ||
		    !place_init(&place, pd, pid, map))
			continue;
		place.program = has_program ? &program : NULL;
		rv = place_describe(dtp, &place, desc, out, err);
	}
	return rv;
}

/* An absolute address: "-" for the function. */
static int maps_describe_address(dtrace_hdl_t *dtp, pid_t pid, const struct pid_maps *maps,
				 dtrace_probedesc_t *desc, struct dt_pid_error *err)
{
	struct dt_pid *pd = pid_get(dtp);
	struct pid_batch batch;
	struct pid_place place;
	uint64_t addr = 0, offset;
	int rv;

	pid_name_is_offset(desc->dtpd_name, &addr);
	for (size_t i = 0; i < maps->n; i++) {
		const struct pid_map *map = &maps->maps[i];

		if (!pid_module_matches(desc->dtpd_mod, map->map.path, map->program) ||
		    !place_init(&place, pd, pid, map) ||
		    !pid_object_offset(place.obj, addr - place.bias, &offset))
			continue;
		pid_batch_init(&batch, &place);
		rv = pid_site_at(&batch, &place, addr - place.bias, desc->dtpd_name, err);
		if (rv == 0)
			rv = batch_register(dtp, &batch, &place, err);
		pid_batch_fini(&batch);
		return rv;
	}
	return pid_fail(err, DT_PID_OFF, "/proc/PID/maps has what there is",
			"address %s is in no file that the process has mapped as code",
			desc->dtpd_name);
}

/* ---- what does not exist ---- */

static const char *near_text(const dt_nearest_t *near, char *buf, size_t len)
{
	if (near->name == NULL)
		return NULL;
	snprintf(buf, len, "did you mean %s?", near->name);
	return buf;
}

static int fail_module(const struct pid_maps *maps, const dtrace_probedesc_t *desc,
		       struct dt_pid_error *err)
{
	char buf[DT_MAPPATH + 32];
	dt_nearest_t near;

	nearest_begin(&near, desc->dtpd_mod);
	nearest_try(&near, "a.out");
	for (size_t i = 0; i < maps->n; i++)
		nearest_try(&near, strrchr(maps->maps[i].map.path, '/') + 1);
	return pid_fail(err, DT_PID_LIB, near_text(&near, buf, sizeof(buf)),
			"failed to find module %s in the process", desc->dtpd_mod);
}

static int fail_function(dtrace_hdl_t *dtp, const struct pid_maps *maps,
			 const dtrace_probedesc_t *desc, pid_t pid, const struct outcome *out,
			 struct dt_pid_error *err)
{
	struct pid_place place;
	dt_nearest_t near;
	char buf[512];

	nearest_begin(&near, desc->dtpd_func);
	for (size_t i = 0; i < maps->n; i++)
		if (pid_module_matches(desc->dtpd_mod, maps->maps[i].map.path,
				       maps->maps[i].program) &&
		    place_init(&place, pid_get(dtp), pid, &maps->maps[i]))
			pid_nearest(&place, &near);
	near_text(&near, buf, sizeof(buf));
	return pid_fail(err, DT_PID_FUNC, near.name != NULL ? buf : NULL,
			"failed to find function %s in %s", desc->dtpd_func,
			out->nplaces == 1 ? out->module : "the modules of the process");
}

/* Nothing is there where something was named. */
static int outcome_judge(dtrace_hdl_t *dtp, const struct pid_maps *maps,
			 const dtrace_probedesc_t *desc, pid_t pid, const struct outcome *out,
			 struct dt_pid_error *err)
{
	bool one = *desc->dtpd_func != '\0' && !pid_is_glob(desc->dtpd_func);

	if (out->nplaces == 0 && *desc->dtpd_mod != '\0' && !pid_is_glob(desc->dtpd_mod))
		return fail_module(maps, desc, err);
	if (out->nfunctions == 0 && one)
		return fail_function(dtp, maps, desc, pid, out, err);
	if (out->nsites == 0 && one && strcmp(desc->dtpd_name, "return") == 0)
		return pid_fail(err, DT_PID_NAME, "its entry can be probed",
				"function %s has no return", desc->dtpd_func);
	return 0;
}

/* ---- what is left out: that is told, and no error ---- */

static void tell(dtrace_hdl_t *dtp, pid_t pid, const char *text)
{
	dtrace_procdata_t data = {
		.dtpcd_handle = dtp, .dtpcd_pid = pid, .dtpcd_status = -1, .dtpcd_msg = text };

	if (dtp->handlers.proc != NULL)
		dtp->handlers.proc(&data, dtp->handlers.procarg);
}

static void tell_omissions(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, pid_t pid,
			   const struct outcome *out)
{
	char text[DTRACE_FULLNAMELEN + 128], full[DTRACE_FULLNAMELEN];

	dtrace_desc2str(desc, full, sizeof(full));
	if (out->nunsafe > 0) {
		snprintf(text, sizeof(text), "%s: only entries in %lu function%s, which may have "
			 "data in their code", full, out->nunsafe, out->nunsafe == 1 ? "" : "s");
		tell(dtp, pid, text);
	}
	if (out->nrefused > 0) {
		snprintf(text, sizeof(text), "%s: without %lu instruction%s that the kernel cannot "
			 "step over", full, out->nrefused, out->nrefused == 1 ? "" : "s");
		tell(dtp, pid, text);
	}
	if (out->nbreakpoints > 0) {
		snprintf(text, sizeof(text), "%s: without %lu instruction%s at which a debugger has "
			 "a breakpoint", full, out->nbreakpoints,
			 out->nbreakpoints == 1 ? "" : "s");
		tell(dtp, pid, text);
	}
}

/* ---- targets ---- */

static struct pid_target *target_open(struct dt_pid *pd, pid_t pid)
{
	struct pid_target *tg = calloc(1, sizeof(*tg));

	if (tg == NULL)
		return NULL;
	tg->pid = pid;
	tg->fd = syscall(SYS_pidfd_open, pid, 0);
	if (tg->fd == -1) {
		free(tg);
		return NULL;
	}
	tg->next = pd->targets;
	pd->targets = tg;
	return tg;
}

static bool target_ended(const struct pid_target *tg)
{
	struct pollfd pfd = { .fd = tg->fd, .events = POLLIN };

	return poll(&pfd, 1, 0) == 1;
}

static struct pid_target *target_get(struct dt_pid *pd, pid_t pid)
{
	for (struct pid_target *tg = pd->targets; tg != NULL; tg = tg->next)
		if (tg->pid == pid)
			return tg;
	return target_open(pd, pid);
}

static int target_failed(pid_t pid, int error, struct dt_pid_error *err)
{
	const char *why = error == EINVAL || error == ENOENT ? "it is a thread, not a process" :
			  error == ESRCH		      ? "no such process" :
								strerror(error);

	return pid_fail(err, DT_PID_GRAB, NULL, "failed to grab process %d: %s", (int)pid, why);
}

/* Why nothing can be read of what a process has mapped. */
static int target_unreadable(pid_t pid, struct dt_pid_error *err)
{
	char path[64];
	FILE *fp;
	int c;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	errno = 0;
	fp = fopen(path, "re");
	c = fp != NULL ? fgetc(fp) : EOF;
	if (c == EOF && errno != 0)
		target_failed(pid, errno, err);
	else
		pid_fail(err, DT_PID_GRAB, NULL, "failed to grab process %d: it %s", (int)pid,
			 c == EOF ? "has ended, or is a thread of the kernel" :
				    "has no file mapped as code");
	if (fp != NULL)
		fclose(fp);
	return -1;
}

static bool target_keep(struct pid_target *tg, const dtrace_probedesc_t *desc)
{
	struct pid_want *want = malloc(sizeof(*want));

	if (want == NULL)
		return false;
	*want = (struct pid_want){ tg->wants, *desc };
	tg->wants = want;
	return true;
}

/* A module's name as its probes have it, by which the kernel knows it. */
static void desc_settle(dtrace_probedesc_t *desc, const struct pid_maps *maps,
			const struct outcome *out)
{
	char literal[DTRACE_MODNAMELEN];
	uint64_t value;

	if (pid_name_is_offset(desc->dtpd_name, &value))
		snprintf(desc->dtpd_name, sizeof(desc->dtpd_name), "%llx",
			 (unsigned long long)value);
	if (*desc->dtpd_mod == '\0' || pid_is_glob(desc->dtpd_mod))
		return;
	pid_unescape(desc->dtpd_mod, literal, sizeof(literal));
	if (out->nplaces == 1)
		pid_escape(out->module, desc->dtpd_mod, sizeof(desc->dtpd_mod));
	else if (*literal == '/')
		pid_escape(strrchr(literal, '/') + 1, desc->dtpd_mod, sizeof(desc->dtpd_mod));
	else if (strcmp(literal, "a.out") == 0 && strrchr(maps->program, '/') != NULL)
		pid_escape(strrchr(maps->program, '/') + 1, desc->dtpd_mod,
			   sizeof(desc->dtpd_mod));
	else if (strstr(literal, ".so") == NULL && strlen(literal) + 4 < sizeof(desc->dtpd_mod))
		strcat(desc->dtpd_mod, ".so*");
}

static int target_describe(dtrace_hdl_t *dtp, struct pid_target *tg, dtrace_probedesc_t *desc,
			   bool later, struct dt_pid_error *err)
{
	struct outcome out = { 0 };
	struct pid_maps maps = { 0 };
	int rv;

	if (!maps_read(&maps, tg->pid))
		rv = fail_memory(err);
	else if (maps.n == 0)
		rv = target_unreadable(tg->pid, err);
	else if (strcmp(desc->dtpd_func, "-") == 0)
		rv = maps_describe_address(dtp, tg->pid, &maps, desc, err);
	else
		rv = maps_describe(dtp, tg->pid, &maps, NULL, desc, &out, err);
	if (rv == 0 && !later && strcmp(desc->dtpd_func, "-") != 0)
		rv = outcome_judge(dtp, &maps, desc, tg->pid, &out, err);
	if (rv == 0 && !target_keep(tg, desc))
		rv = fail_memory(err);
	if (rv == 0) {
		tell_omissions(dtp, desc, tg->pid, &out);
		desc_settle(desc, &maps, &out);
	}
	maps_free(&tg->seen);
	tg->seen = maps;
	return rv;
}

/* ---- descriptions ---- */

/* Names that functions have probes of. */
static int desc_check(const dtrace_probedesc_t *desc, struct dt_pid_error *err)
{
	bool offset, absolute = strcmp(desc->dtpd_func, "-") == 0;
	uint64_t value;

	offset = pid_name_is_offset(desc->dtpd_name, &value);
	if (absolute && !offset)
		return pid_fail(err, DT_PID_NAME, "write an address in hexadecimal",
				"function - is for an address, which %s is not",
				*desc->dtpd_name != '\0' ? desc->dtpd_name : "an empty name");
	if (offset || *desc->dtpd_name == '\0' || pid_is_glob(desc->dtpd_name) ||
	    strcmp(desc->dtpd_name, "entry") == 0 || strcmp(desc->dtpd_name, "return") == 0)
		return 0;
	return pid_fail(err, DT_PID_NAME, NULL, "functions have no probe %s", desc->dtpd_name);
}

/* The process of a provider; 0: it is not of ours. -1: err says why not. */
static pid_t desc_pid(const char *provider, struct dt_pid_error *err)
{
	const char *digits = provider + 3;
	unsigned long long pid;

	if (strncmp(provider, "pid", 3) != 0 || digits[strspn(digits, "0123456789")] != '\0')
		return 0;
	if (*digits == '\0')
		return pid_fail(err, DT_PID_BADPROV, NULL, "provider pid is that of no process");
	pid = strlen(digits) < 12 ? strtoull(digits, NULL, 10) : 0;
	if (pid == 0 || pid > INT32_MAX)
		return pid_fail(err, DT_PID_BADPID, NULL, "%s is not the number of a process",
				digits);
	return pid;
}

int dt_pid_describe(dtrace_hdl_t *dtp, dtrace_probedesc_t *desc, bool later,
		    struct dt_pid_error *err)
{
	struct pid_target *tg;
	struct dt_pid *pd;
	pid_t pid;
	int error;

	if (dtp->fd == -1 || desc->dtpd_id != DTRACE_IDNONE)
		return 0;
	pid = desc_pid(desc->dtpd_provider, err);
	if (pid <= 0)
		return pid;
	if (desc_check(desc, err) != 0)
		return -1;
	pd = pid_get(dtp);
	if (pd == NULL)
		return fail_memory(err);
	tg = target_get(pd, pid);
	if (tg == NULL || target_ended(tg)) {
		error = tg == NULL ? errno : ESRCH;
		return error == ESRCH && later ? 0 : target_failed(pid, error, err);
	}
	return target_describe(dtp, tg, desc, later, err);
}

/* ---- what processes map later ---- */

static void target_follow(dtrace_hdl_t *dtp, struct pid_target *tg)
{
	struct pid_maps maps = { 0 };
	struct dt_pid_error err;

	if (!maps_read(&maps, tg->pid) || maps.n == 0) {
		maps_free(&maps);
		return;
	}
	for (struct pid_want *want = tg->wants; want != NULL; want = want->next) {
		struct outcome out = { 0 };

		if (strcmp(want->desc.dtpd_func, "-") == 0)
			continue;
		if (maps_describe(dtp, tg->pid, &maps, &tg->seen, &want->desc, &out, &err) != 0)
			tell(dtp, tg->pid, err.text);
	}
	maps_free(&tg->seen);
	tg->seen = maps;
}

void dt_pid_follow(dtrace_hdl_t *dtp)
{
	struct dt_pid *pd = dtp->procs != NULL ? dtp->procs->pid : NULL;

	for (struct pid_target *tg = pd != NULL ? pd->targets : NULL; tg != NULL; tg = tg->next)
		if (tg->wants != NULL && !target_ended(tg))
			target_follow(dtp, tg);
}

/* ---- the end ---- */

static void target_free(struct pid_target *tg)
{
	struct pid_want *next;

	for (struct pid_want *want = tg->wants; want != NULL; want = next) {
		next = want->next;
		free(want);
	}
	maps_free(&tg->seen);
	close(tg->fd);
	free(tg);
}

void dt_pid_fini(struct dt_pid *pd)
{
	struct pid_target *nexttg;
	struct pid_file *nextfile;

	if (pd == NULL)
		return;
	for (struct pid_target *tg = pd->targets; tg != NULL; tg = nexttg) {
		nexttg = tg->next;
		target_free(tg);
	}
	for (struct pid_file *file = pd->files; file != NULL; file = nextfile) {
		nextfile = file->next;
		pid_object_close(file->obj);
		free(file->path);
		free(file);
	}
	free(pd);
}
