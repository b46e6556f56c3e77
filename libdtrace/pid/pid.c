/* SPDX-License-Identifier: MIT */
/*
 * pid.c - the pid provider. A description like pid123:libc.so.6:malloc:entry names a process. The
 * files that it has mapped are read (object.c), the instructions that match become sites (sites.c),
 * and the sites are registered with the world, which makes probes of them. The probes end with the
 * handle.
 *
 * Descriptions are kept: when the process maps a file later, the sites in it are added (target.c).
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../program.h"
#include "impl.h"

struct dt_pid *pid_get(dtrace_hdl_t *dtp)
{
	if (!dtp->pid) {
		dtp->pid = calloc(1, sizeof(*dtp->pid));
		if (dtp->pid)
			dtp->pid->dtp = dtp;
	}
	return dtp->pid;
}

int pid_fail_memory(struct dt_pid_error *err)
{
	return pid_fail(err, DT_PID_CREATE, NULL, "out of memory");
}

/* ---- registration ---- */

/* Set the error for an errno; why is the world's own message, or "". Return -1. */
static int register_failed(struct dt_pid_error *err, const struct pid_batch *batch, int error,
			   const char *why)
{
	switch (error) {
	case ESRCH:
		return pid_fail(err, DT_PID_GRAB, NULL, "the process has ended");
	case EPERM:
	case EACCES:
		return pid_fail(err, DT_PID_GRAB,
				"only root may trace processes of others, and pid*",
				"failed to create probes: permission denied");
	case ENOSPC:
	case E2BIG:
		return pid_fail(err, DT_PID_CREATE,
				"name fewer functions, or entry and return only",
				"failed to create %lu probes: one process may not have so many",
				batch->nsites);
	case EOPNOTSUPP:
		if (*why != '\0')
			break;
		return pid_fail(err, DT_PID_CREATE,
				"name a process by pid$target with -p or -c; or load the module "
				"(modprobe dtrace, as root), and trace with -x world=kernel",
				"pid probes of all processes need the kernel module");
	default:
		break;
	}
	return pid_fail(err, error == EFAULT ? DT_PID_MOVED : DT_PID_CREATE, NULL,
			"failed to create probes: %s", *why != '\0' ? why : strerror(error));
}

/* Register sites in a process, and set *gen to the registration's number. Return 0 or errno. */
static int batch_request(dtrace_hdl_t *dtp, const struct mapped_object *mapped, const void *dof,
			 int *gen, char *why, size_t len)
{
	dtrace_ft_register_t reg = {
		.dtfr_pid = mapped->process,
		.dtfr_flags = DTRACE_FT_PID | (mapped->executed ? DTRACE_FT_PROGRAM : 0) |
			      (dt_option(dtp, DTRACEOPT_FOLLOWFORK) == 1 ? DTRACE_FT_FOLLOW : 0),
		.dtfr_dof = mapped->bias,
		.dtfr_errmsg = (uintptr_t)why,
		.dtfr_errlen = len,
		.dtfr_helper = {.dofhp_dof = (uintptr_t)dof},
	};

	snprintf(reg.dtfr_helper.dofhp_mod, sizeof(reg.dtfr_helper.dofhp_mod), "%s",
		 mapped->module);
	*gen = dt_world_process(dtp, DTRACEFTIOC_REGISTER, &reg);
	return *gen != -1 ? 0 : errno;
}

/* Register sites in a file, for all processes, and set *gen. Return 0 or errno. */
static int batch_request_file(dtrace_hdl_t *dtp, const struct mapped_object *mapped,
			      const void *dof, int *gen, char *why, size_t len)
{
	dtrace_ft_register_file_t reg = {
		.dtff_fd = mapped->obj->fd,
		.dtff_errmsg = (uintptr_t)why,
		.dtff_errlen = len,
		.dtff_helper = {.dofhp_dof = (uintptr_t)dof},
	};

	snprintf(reg.dtff_helper.dofhp_mod, sizeof(reg.dtff_helper.dofhp_mod), "%s",
		 mapped->module);
	*gen = dt_world_process(dtp, DTRACEFTIOC_REGISTER_FILE, &reg);
	return *gen != -1 ? 0 : errno;
}

/* Register the sites of a batch with the world, and set batch->gen. Return 0, or -1 with err. */
static int batch_register(dtrace_hdl_t *dtp, struct pid_batch *batch,
			  const struct mapped_object *mapped, struct dt_pid_error *err)
{
	size_t size = batch->nsites > 0 ? dofbuild_size(&batch->b) : 0;
	char why[256] = "";
	void *dof;
	int error;

	if (batch->nsites == 0)
		return 0;
	if (size > DTRACE_HELPER_MAXSIZE)
		return register_failed(err, batch, E2BIG, why);
	if (dt_world_lacks_processes(dtp))
		return pid_fail(err, DT_PID_NODEV, "load it: modprobe dtrace",
				"the kernel module is not there to trace processes");
	dof = size > 0 ? calloc(1, size) : NULL;
	if (!dof)
		return pid_fail_memory(err);
	dofbuild_write(&batch->b, dof, mapped->systemwide ? 0 : mapped->bias);
	error = mapped->systemwide
			? batch_request_file(dtp, mapped, dof, &batch->gen, why, sizeof(why))
			: batch_request(dtp, mapped, dof, &batch->gen, why, sizeof(why));
	free(dof);
	return error == 0 ? 0 : register_failed(err, batch, error, why);
}

/* ---- a description in an object ---- */

bool pid_desc_is_one(const dtrace_probedesc_t *desc)
{
	return *desc->dtpd_func != '\0' && !pid_is_glob(desc->dtpd_func);
}

/* Return whether a description names one function, and one probe of it. */
static bool desc_names_one(const dtrace_probedesc_t *desc)
{
	return pid_desc_is_one(desc) && *desc->dtpd_name != '\0' && !pid_is_glob(desc->dtpd_name);
}

int pid_describe_object(dtrace_hdl_t *dtp, const struct mapped_object *mapped,
			const dtrace_probedesc_t *desc, struct pid_outcome *out,
			struct dt_pid_error *err)
{
	struct pid_batch batch;
	int rv;

	pid_batch_init(&batch, mapped, &out->skips);
	rv = pid_sites(&batch, mapped, desc, err);
	if (rv == 0)
		rv = batch_register(dtp, &batch, mapped, err);
	if (rv == 0 && batch.gen != -1 && !out->followed && desc_names_one(desc) &&
	    !pid_note(&pid_get(dtp)->named, mapped->systemwide ? 0 : mapped->process, batch.gen))
		rv = pid_fail_memory(err);
	if (rv == 0) {
		out->nobjects++;
		out->nsites += batch.nsites;
		out->nfunctions += batch.nfunctions;
		snprintf(out->module, sizeof(out->module), "%s", mapped->module);
	}
	pid_batch_fini(&batch);
	return rv;
}

/* ---- a description in a process ---- */

#define MOVES 8 /* of a file that is mapped again and again */

/*
 * Make the probes of a description in the file of the ith mapping. A process may map it elsewhere
 * after maps were read. program: what the process executes, or NULL. Return 0; -1 with err; or 1 if
 * the file is not mapped any more.
 */
static int map_describe(dtrace_hdl_t *dtp, pid_t pid, struct pid_maps *maps, size_t i,
			const struct mapped_object *program, const dtrace_probedesc_t *desc,
			struct pid_outcome *out, struct dt_pid_error *err)
{
	struct mapped_object mapped;
	int rv = 0;

	for (int moves = 0; moves < MOVES; moves++) {
		if (!mapped_object_init(&mapped, pid_get(dtp), pid, &maps->maps[i]))
			return 0;
		mapped.program = program;
		rv = pid_describe_object(dtp, &mapped, desc, out, err);
		if (rv == 0 || err->fault != DT_PID_MOVED)
			break;
		if (!pid_maps_find_again(maps, i, pid))
			return 1;
	}
	return rv;
}

int pid_maps_describe(dtrace_hdl_t *dtp, pid_t pid, struct pid_maps *maps,
		      const struct pid_maps *before, const dtrace_probedesc_t *desc,
		      struct pid_outcome *out, struct dt_pid_error *err)
{
	struct mapped_object program;
	bool has_program = false;
	int rv = 0;

	for (size_t i = 0; i < maps->n && !has_program; i++)
		has_program = maps->maps[i].program &&
			      mapped_object_init(&program, pid_get(dtp), pid, &maps->maps[i]);
	for (size_t i = 0; i < maps->n && rv == 0; i++) {
		const struct pid_map *map = &maps->maps[i];

		if ((before && pid_maps_have(before, &map->map)) ||
		    !pid_module_matches(desc->dtpd_mod, map->map.path, map->program))
			continue;
		rv = map_describe(dtp, pid, maps, i, has_program ? &program : NULL, desc, out, err);
		if (rv == 1) {
			pid_maps_remove(maps, i--);
			rv = 0;
		}
	}
	return rv;
}

/* Make the probe of function "-" at an absolute address. Return 0, or -1 with err. */
static int maps_describe_address(dtrace_hdl_t *dtp, pid_t pid, const struct pid_maps *maps,
				 dtrace_probedesc_t *desc, struct pid_outcome *out,
				 struct dt_pid_error *err)
{
	struct dt_pid *pd = pid_get(dtp);
	struct pid_batch batch;
	struct mapped_object mapped;
	uint64_t addr = 0, offset;
	int rv;

	pid_name_is_offset(desc->dtpd_name, &addr);
	for (size_t i = 0; i < maps->n; i++) {
		const struct pid_map *map = &maps->maps[i];

		if (!pid_module_matches(desc->dtpd_mod, map->map.path, map->program) ||
		    !mapped_object_init(&mapped, pd, pid, map) ||
		    !pid_object_offset(mapped.obj, addr - mapped.bias, &offset))
			continue;
		pid_batch_init(&batch, &mapped, &out->skips);
		rv = pid_site_at(&batch, &mapped, addr - mapped.bias, desc->dtpd_name, err);
		if (rv == 0)
			rv = batch_register(dtp, &batch, &mapped, err);
		pid_batch_fini(&batch);
		return rv;
	}
	return pid_fail(err, DT_PID_OFF, "/proc/PID/maps has what there is",
			"address %s is in no file that the process has mapped as code",
			desc->dtpd_name);
}

/* ---- what does not exist ---- */

/* Write the hint that a name was meant to buf. Return it, NULL if no name is near. */
static const char *near_text(const dt_spell_t *near, char *buf, size_t len)
{
	if (!near->name)
		return NULL;
	snprintf(buf, len, "did you mean %s?", near->name);
	return buf;
}

/* Set the error that there is no such module. Return -1. */
static int fail_module(const struct pid_maps *maps, const dtrace_probedesc_t *desc,
		       struct dt_pid_error *err)
{
	char buf[DT_MAPPATH + 32], wanted[DTRACE_MODNAMELEN];
	dt_spell_t near;

	snprintf(wanted, sizeof(wanted), "%.*s", (int)strcspn(desc->dtpd_mod, "*?[\\"),
		 desc->dtpd_mod);
	spell_begin(&near, wanted);
	spell_try(&near, "a.out");
	for (size_t i = 0; i < maps->n; i++)
		spell_try(&near, basename(maps->maps[i].map.path));
	return pid_fail(err, DT_PID_LIB, near_text(&near, buf, sizeof(buf)),
			"failed to find module %s in the process", desc->dtpd_mod);
}

/* Set the error that there is no such function. Return -1. */
static int fail_function(dtrace_hdl_t *dtp, const struct pid_maps *maps,
			 const dtrace_probedesc_t *desc, pid_t pid, const struct pid_outcome *out,
			 struct dt_pid_error *err)
{
	struct mapped_object mapped;
	dt_spell_t near;
	char buf[512];

	spell_begin(&near, desc->dtpd_func);
	for (size_t i = 0; i < maps->n; i++)
		if (pid_module_matches(desc->dtpd_mod, maps->maps[i].map.path,
				       maps->maps[i].program) &&
		    mapped_object_init(&mapped, pid_get(dtp), pid, &maps->maps[i]))
			pid_spell(&mapped, &near);
	near_text(&near, buf, sizeof(buf));
	return pid_fail(err, DT_PID_FUNC, near.name ? buf : NULL,
			"failed to find function %s in %s", desc->dtpd_func,
			out->nobjects == 1 ? out->module : "the modules of the process");
}

/* Return 0, or -1 with err if a description names what does not exist. */
static int outcome_judge(dtrace_hdl_t *dtp, const struct pid_maps *maps,
			 const dtrace_probedesc_t *desc, pid_t pid, const struct pid_outcome *out,
			 struct dt_pid_error *err)
{
	bool one = pid_desc_is_one(desc);

	if (out->nobjects == 0 && *desc->dtpd_mod != '\0')
		return fail_module(maps, desc, err);
	if (out->nfunctions == 0 && one)
		return fail_function(dtp, maps, desc, pid, out, err);
	if (out->nsites == 0 && one && strcmp(desc->dtpd_name, "return") == 0)
		return pid_fail(err, DT_PID_NAME, "its entry can be probed",
				"function %s has no return", desc->dtpd_func);
	return 0;
}

/* ---- messages to the user ---- */

void pid_tell(dtrace_hdl_t *dtp, pid_t pid, const char *message)
{
	dtrace_procdata_t data = {
		.dtpcd_handle = dtp, .dtpcd_pid = pid, .dtpcd_status = -1, .dtpcd_msg = message};

	if (dtp->handlers.proc)
		dtp->handlers.proc(&data, dtp->handlers.procarg);
}

/* Set the error for a process that cannot be opened, by errno. Return -1. */
static int target_failed(pid_t pid, int error, struct dt_pid_error *err)
{
	const char *why = error == EINVAL || error == ENOENT ? "it is a thread, not a process"
			  : error == ESRCH		     ? "no such process"
							     : strerror(error);
	const char *hint =
		error == EACCES ? "to read what it has mapped takes CAP_SYS_PTRACE" : NULL;

	return pid_fail(err, DT_PID_GRAB, hint, "failed to grab process %d: %s", (int)pid, why);
}

/* Stop at the first mapping; a function for dt_mappings_all(). */
static int mapping_is_there(void *arg, const struct dt_mapping *map)
{
	(void)arg;
	(void)map;
	return 1;
}

/* Set the error for a process whose mappings cannot be read. Return -1. */
static int target_unreadable(pid_t pid, struct dt_pid_error *err)
{
	bool mapped = dt_mappings_all(pid, mapping_is_there, NULL) != 0;

	if (!mapped && errno != 0)
		return target_failed(pid, errno, err);
	return pid_fail(err, DT_PID_GRAB, NULL, "failed to grab process %d: it %s", (int)pid,
			mapped ? "has no file mapped as code"
			       : "has ended, or is a thread of the kernel");
}

void pid_desc_rename(dtrace_probedesc_t *desc, const struct pid_outcome *out)
{
	char literal[DTRACE_MODNAMELEN];
	uint64_t value;

	if (pid_name_is_offset(desc->dtpd_name, &value))
		snprintf(desc->dtpd_name, sizeof(desc->dtpd_name), "%llx",
			 (unsigned long long)value);
	if (*desc->dtpd_mod == '\0' || pid_is_glob(desc->dtpd_mod))
		return;
	pid_unescape(desc->dtpd_mod, literal, sizeof(literal));
	if (strcmp(literal, "a.out") == 0)
		strcpy(desc->dtpd_mod, literal);
	else if (out->nobjects == 1)
		pid_escape(out->module, desc->dtpd_mod, sizeof(desc->dtpd_mod));
	else if (*literal == '/')
		pid_escape(basename(literal), desc->dtpd_mod, sizeof(desc->dtpd_mod));
	else if (strlen(desc->dtpd_mod) + 1 < sizeof(desc->dtpd_mod))
		strcat(desc->dtpd_mod, "*"); /* libx stands for libx.so.1: see module_alias */
}

/* Return whether a description may match files that are mapped later. */
static bool desc_is_open(const dtrace_probedesc_t *desc, const struct pid_outcome *out)
{
	return strcmp(desc->dtpd_func, "-") != 0 &&
	       (*desc->dtpd_mod == '\0' || pid_is_glob(desc->dtpd_mod) || out->nobjects == 0);
}

/* Make the probes of a description in a process, and keep it. Return 0, or -1 with err. */
static int target_describe(dtrace_hdl_t *dtp, struct pid_target *tg, dtrace_probedesc_t *desc,
			   bool later, struct dt_pid_error *err)
{
	struct pid_outcome out = {0};
	struct pid_maps maps = {0};
	int rv;

	if (!pid_maps_read(&maps, tg->pid))
		rv = pid_fail_memory(err);
	else if (maps.n == 0)
		rv = target_unreadable(tg->pid, err);
	else if (strcmp(desc->dtpd_func, "-") == 0)
		rv = maps_describe_address(dtp, tg->pid, &maps, desc, &out, err);
	else
		rv = pid_maps_describe(dtp, tg->pid, &maps, NULL, desc, &out, err);
	if (rv == 0 && !later && strcmp(desc->dtpd_func, "-") != 0)
		rv = outcome_judge(dtp, &maps, desc, tg->pid, &out, err);
	if (rv == 0 && !pid_target_keep(dtp, tg, &maps, desc, desc_is_open(desc, &out)))
		rv = pid_fail_memory(err);
	if (rv == 0) {
		pid_skips_tell(dtp, desc, tg->pid, &out.skips);
		pid_desc_rename(desc, &out);
	}
	pid_skips_free(&out.skips);
	pid_maps_free(&maps);
	return rv;
}

/* ---- descriptions ---- */

/* Check function and name of a description. Return 0, or -1 with err. */
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

/*
 * Return the process of a provider, 0 if the provider is not pidPID, -1 with err if there can be no
 * such process.
 */
static pid_t desc_pid(const char *provider, struct dt_pid_error *err)
{
	const char *digits = provider + 3;
	unsigned long long pid;

	if (strncmp(provider, "pid", 3) != 0 || digits[strspn(digits, "0123456789")] != '\0')
		return 0;
	if (*digits == '\0')
		return pid_fail(err, DT_PID_BADPROV, NULL, "provider pid has no process number");
	pid = strlen(digits) < 12 ? strtoull(digits, NULL, 10) : 0;
	if (pid == 0 || pid > INT32_MAX)
		return pid_fail(err, DT_PID_BADPID, NULL, "%s is not the number of a process",
				digits);
	return pid;
}

/*
 * Follow the process whose number ends the name of a provider: its descendants may have that
 * provider too, a process that is traced may execute a program that has it, and may map the
 * provider's library later if nothing has that name yet.
 */
static void desc_follow(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, bool later)
{
	const char *digits = desc->dtpd_provider + strlen(desc->dtpd_provider);
	bool forks = dt_option(dtp, DTRACEOPT_FOLLOWFORK) == 1;
	struct dt_pid *pd = pid_get(dtp);
	struct pid_target *tg;

	while (digits > desc->dtpd_provider && isdigit((unsigned char)digits[-1]))
		digits--;
	if (*digits == '\0' || strlen(digits) > 9 || !pd)
		return;
	later = later && dt_proc_is_ours(dtp, atoi(digits));
	tg = forks || later ? pid_target(pd, atoi(digits)) : NULL;
	if (!tg || pid_target_ended(tg))
		return;
	if (forks)
		pid_target_follow(dtp, tg);
	if (later)
		pid_target_register(dtp, tg,
				    dt_probe_args(dtp, desc, NULL, 0) < 0 && errno == ESRCH);
}

int dt_pid_describe(dtrace_hdl_t *dtp, dtrace_probedesc_t *desc, bool later,
		    struct dt_pid_error *err)
{
	struct pid_target *tg;
	struct dt_pid *pd;
	pid_t pid;
	int error;

	if (!dtp->world || desc->dtpd_id != DTRACE_IDNONE)
		return 0;
	if (strcmp(desc->dtpd_provider, "pid*") == 0 || strcmp(desc->dtpd_provider, "pid\\*") == 0)
		return desc_check(desc, err) == 0 ? pid_systemwide_describe(dtp, desc, later, err)
						  : -1;
	pid = desc_pid(desc->dtpd_provider, err);
	if (pid == 0)
		desc_follow(dtp, desc, later);
	if (pid <= 0)
		return pid;
	if (desc_check(desc, err) != 0)
		return -1;
	pd = pid_get(dtp);
	if (!pd)
		return pid_fail_memory(err);
	tg = pid_target(pd, pid);
	if (!tg || pid_target_ended(tg)) {
		error = !tg ? errno : ESRCH;
		return error == ESRCH && later ? 0 : target_failed(pid, error, err);
	}
	return target_describe(dtp, tg, desc, later, err);
}

/* Make the module of a description a name again that pid_desc_rename() has made a pattern. */
static void desc_restore(dtrace_probedesc_t *desc)
{
	size_t n = strlen(desc->dtpd_mod);

	if (n < 2 || desc->dtpd_mod[n - 1] != '*')
		return;
	desc->dtpd_mod[n - 1] = '\0';
	if (pid_is_glob(desc->dtpd_mod) || desc->dtpd_mod[n - 2] == '\\')
		desc->dtpd_mod[n - 1] = '*';
}

char *dt_pid_hint(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, char *message, size_t len)
{
	dtrace_probedesc_t wanted = *desc, restored = *desc;
	struct dt_pid_error err = {0};

	desc_restore(&restored);
	if (dt_pid_describe(dtp, &wanted, false, &err) == 0 &&
	    dt_pid_describe(dtp, &restored, false, &err) == 0)
		return NULL;
	snprintf(message, len, "%s%s%s", err.message, *err.hint ? ": " : "", err.hint);
	return message;
}

/* ---- the end ---- */

void dt_pid_fini(struct dt_pid *pd)
{
	if (!pd)
		return;
	pid_targets_free(pd->targets);
	pid_systemwide_free(pd);
	pid_files_free(pd->files);
	free(pd->told.notes);
	free(pd->named.notes);
	free(pd);
}
