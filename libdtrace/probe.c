/* SPDX-License-Identifier: MIT */
/* probe.c - the probes of the world: listed and described. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "handle.h"

static const char *const stabilities[] = {"Internal", "Private",  "Obsolete", "External",
					  "Unstable", "Evolving", "Stable",   "Standard"};
static const char *const classes[] = {"Unknown", "CPU", "Platform", "Group", "ISA", "Common"};

const char *dtrace_stability_name(unsigned int stability)
{
	return stability <= DTRACE_STABILITY_MAX ? stabilities[stability] : NULL;
}

const char *dtrace_class_name(unsigned int class_)
{
	return class_ <= DTRACE_CLASS_MAX ? classes[class_] : NULL;
}

char *dtrace_attr2str(dtrace_attribute_t attr, char *text, size_t len)
{
	const char *name = dtrace_stability_name(attr.dtat_name),
		   *data = dtrace_stability_name(attr.dtat_data);
	const char *cl = dtrace_class_name(attr.dtat_class);

	snprintf(text, len, "%s/%s/%s", name ? name : "?", data ? data : "?", cl ? cl : "?");
	return text;
}

/* Return the index of a name of len characters among n, -1 if there is none. */
static int name_index(const char *const *names, int n, const char *name, size_t len)
{
	for (int i = 0; i < n; i++)
		if (strlen(names[i]) == len && strncasecmp(names[i], name, len) == 0)
			return i;
	return -1;
}

int dtrace_str2attr(const char *text, dtrace_attribute_t *attr)
{
	const char *one = strchr(text, '/'), *two = one ? strchr(one + 1, '/') : NULL;
	int name, data, cl;

	if (!two)
		return -1;
	name = name_index(stabilities, DTRACE_STABILITY_MAX + 1, text, one - text);
	data = name_index(stabilities, DTRACE_STABILITY_MAX + 1, one + 1, two - one - 1);
	cl = name_index(classes, DTRACE_CLASS_MAX + 1, two + 1, strlen(two + 1));
	if (name == -1 || data == -1 || cl == -1)
		return -1;
	*attr = (dtrace_attribute_t){name, data, cl};
	return 0;
}

static bool is_instruction(const dtrace_probedesc_t *desc)
{
	return strcmp(desc->dtpd_provider, "kinst") == 0 ||
	       strcmp(desc->dtpd_provider, "instr") == 0;
}

bool dt_probe_is_broad(const dtrace_probedesc_t *desc)
{
	return is_instruction(desc) && (!*desc->dtpd_func || strpbrk(desc->dtpd_func, "*?[\\"));
}

/* Return whether an error means the same for the probes of all providers. */
static bool failure_is_general(int error)
{
	return error == DTRACE_REFUSED_TRIGGER || error == DTRACE_REFUSED_EVENT ||
	       error == DTRACE_REFUSED_COUNTER || error == DTRACE_REFUSED_COUNT ||
	       error == DTRACE_REFUSED_MODULE || error == DTRACE_REFUSED_SAMPLES ||
	       error == DTRACE_REFUSED_RETURN;
}

const char *dt_probe_failure(const dtrace_probedesc_t *desc, int error)
{
	static const struct {
		int error;
		const char *text;
	} failures[] = {
		{DTRACE_REFUSED_BOUNDARY, "no instruction begins at that offset: leave the offset "
					  "empty to list all that begin"},
		{DTRACE_REFUSED_END, "the function ends before that offset"},
		{DTRACE_REFUSED_KIND, "the kernel has no probes at instructions of that kind"},
		{DTRACE_REFUSED_FUNCTION, "the kernel protects that function from probes"},
		{DTRACE_REFUSED_PATCHED, "the kernel patches the instruction there itself (a jump "
					 "label or a static call): take one before or behind it"},
		{DTRACE_REFUSED_BUG, "the instruction there is that of BUG() or WARN()"},
		{DTRACE_REFUSED_LAST,
		 "the kernel does not know where that function ends: it is the "
		 "last one of its module"},
		{DTRACE_REFUSED_MANY, "the function has more than 4096 instructions: name offsets"},
		{DTRACE_REFUSED_TRIGGER,
		 "this kernel has none of the functions and tracepoints at which that probe fires: "
		 "/proc/dtrace/triggers lists them"},
		{DTRACE_REFUSED_EVENT,
		 "this processor has no counter for that event, or a virtual "
		 "machine hides it: dtrace -l -P cpc lists events that can be "
		 "counted"},
		{DTRACE_REFUSED_COUNTER,
		 "perf lets only root count events on processors: have root set "
		 "kernel.perf_event_paranoid to 0 (sysctl) or give you CAP_PERFMON"},
		{DTRACE_REFUSED_MODULE,
		 "such probes need the kernel module: load it (modprobe dtrace, as root), and "
		 "trace with -x world=kernel"},
		{DTRACE_REFUSED_SAMPLES,
		 "the kernel refuses perf events (perf_event_open): have root set "
		 "kernel.perf_event_paranoid to 2 (sysctl) or give you CAP_PERFMON; in a container "
		 "a filter of system calls (seccomp) may forbid them; or load the module (modprobe "
		 "dtrace, as root), and trace with -x world=kernel"},
		{DTRACE_REFUSED_RETURN,
		 "ftrace cannot patch that function, and the kernel's types (BTF) do not have it: "
		 "it may be part of another one, and has no probe return"},
		{DTRACE_REFUSED_COUNT,
		 "the count is too small: it is at least 1, 5000 for events of the "
		 "processor, and 100000 for cpu_clock"},
	};

	if (!is_instruction(desc) && strcmp(desc->dtpd_provider, "fbt") != 0 &&
	    !failure_is_general(error))
		return NULL;
	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++)
		if (failures[i].error == error)
			return failures[i].text;
	return NULL;
}

/* Set the error of a request for probes. Return -1. */
static int probe_walk_error(dtrace_hdl_t *dtp, int error)
{
	if (error == ENOSPC)
		return dt_set_error(dtp, error,
				    "no more probes of this kind can be made: "
				    "as many as there may be are in use");
	return dt_set_errno(dtp, error);
}

/*
 * Fetch at most capacity probes from the number id on: those that match pattern, or all if it is
 * NULL. Return their number; -1 with errno, and with an error if there is no world.
 */
static int probe_fetch(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pattern, dtrace_id_t id,
		       dtrace_probedesc_t *descs, uint32_t capacity)
{
	dtrace_probes_io_t io = {
		.descs = (uintptr_t)descs, .capacity = capacity, .match = !!pattern};

	if (pattern)
		io.pattern = *pattern;
	io.pattern.dtpd_id = id;
	memset(&dtp->provider, 0, sizeof(dtp->provider));
	return dt_world_request(dtp, DTRACEIOC_PROBES, &io) == -1 ? -1 : (int)io.n;
}

/*
 * Call func for each probe that a pattern matches, in order of ids. Return as dtrace_probe_iter().
 */
static int probe_walk(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pattern, dtrace_probe_f *func,
		      void *arg)
{
	dtrace_probedesc_t *descs = calloc(DTRACE_PROBES_MAX, sizeof(*descs));
	dtrace_id_t next = 1;
	int n = 0, rv = 0;

	if (!descs)
		return dt_set_errno(dtp, ENOMEM);
	do {
		n = probe_fetch(dtp, pattern, next, descs, DTRACE_PROBES_MAX);
		for (int i = 0; i < n && !rv; i++) {
			next = descs[i].dtpd_id + 1;
			rv = func(dtp, &descs[i], arg);
		}
	} while (n == DTRACE_PROBES_MAX && !rv && next);
	if (n == -1 && errno != ESRCH && !(pattern && dt_probe_failure(pattern, errno)))
		rv = dtp->world ? probe_walk_error(dtp, errno) : -1;
	free(descs);
	return rv;
}

int dtrace_probe_iter(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, dtrace_probe_f *func,
		      void *arg)
{
	dtrace_probedesc_t one;

	if (!desc)
		return probe_walk(dtp, NULL, func, arg);
	if (desc->dtpd_id == DTRACE_IDNONE)
		return probe_walk(dtp, desc, func, arg);
	return dtrace_id2desc(dtp, desc->dtpd_id, &one) == 0 ? func(dtp, &one, arg) : 0;
}

int dtrace_id2desc(dtrace_hdl_t *dtp, dtrace_id_t id, dtrace_probedesc_t *desc)
{
	memset(desc, 0, sizeof(*desc));
	if (probe_fetch(dtp, NULL, id, desc, 1) == -1)
		return !dtp->world	? -1
		       : errno == ESRCH ? dt_set_errno(dtp, EDT_NOPROBE)
					: dt_set_errno(dtp, errno);
	return desc->dtpd_id == id ? 0 : dt_set_errno(dtp, EDT_NOPROBE);
}

/*
 * Set args to the types of a probe's arguments, at most max. Return their number, or -1 with an
 * error.
 */
static int probe_args(dtrace_hdl_t *dtp, dtrace_id_t id, dtrace_argdesc_t *args, int max)
{
	int n;

	for (n = 0; n < max; n++) {
		memset(&args[n], 0, sizeof(args[n]));
		args[n].dtargd_id = id;
		args[n].dtargd_ndx = n;
		if (dt_world_request(dtp, DTRACEIOC_PROBEARG, &args[n]) == -1)
			return dt_set_errno(dtp, errno == ESRCH ? EDT_NOPROBE : errno);
		if (args[n].dtargd_ndx == DTRACE_ARGNONE)
			break;
	}
	return n;
}

/* Return the least of two stabilities. */
static dtrace_attribute_t attr_least(dtrace_attribute_t a, dtrace_attribute_t b)
{
	return (dtrace_attribute_t){
		a.dtat_name < b.dtat_name ? a.dtat_name : b.dtat_name,
		a.dtat_data < b.dtat_data ? a.dtat_data : b.dtat_data,
		a.dtat_class < b.dtat_class ? a.dtat_class : b.dtat_class,
	};
}

/*
 * Describe the provider of that name, which stays valid until probes are fetched. Return NULL with
 * an error.
 */
static const dtrace_providerdesc_t *probe_provider(dtrace_hdl_t *dtp, const char *name)
{
	dtrace_providerdesc_t prov = {0};

	if (*name && strcmp(dtp->provider.dtvd_name, name) == 0)
		return &dtp->provider;
	memcpy(prov.dtvd_name, name, sizeof(prov.dtvd_name));
	if (dt_world_request(dtp, DTRACEIOC_PROVIDER, &prov) == -1) {
		if (dtp->world)
			dt_set_errno(dtp, errno == ESRCH ? EDT_NOPROBE : errno);
		return NULL;
	}
	dtp->provider = prov;
	return &dtp->provider;
}

int dtrace_probe_info(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, dtrace_probeinfo_t *info)
{
	const dtrace_providerdesc_t *prov = probe_provider(dtp, desc->dtpd_provider);
	const dtrace_pattr_t *attr;
	int n;

	if (!prov)
		return -1;
	attr = &prov->dtvd_attr;
	info->dtp_attr = attr_least(attr->dtpa_provider, attr->dtpa_name);
	if (desc->dtpd_mod[0] != '\0')
		info->dtp_attr = attr_least(info->dtp_attr, attr->dtpa_mod);
	if (desc->dtpd_func[0] != '\0')
		info->dtp_attr = attr_least(info->dtp_attr, attr->dtpa_func);
	info->dtp_arga = attr->dtpa_args;
	info->dtp_privs = prov->dtvd_priv.dtpp_flags;
	n = dt_kernel_probe_args(dtp, desc, info->dtp_argv, DTRACE_USDT_MAXARGS);
	if (n == -1)
		n = probe_args(dtp, desc->dtpd_id, info->dtp_argv, DTRACE_USDT_MAXARGS);
	if (n == -1)
		return -1;
	info->dtp_argc = n;
	return 0;
}

int dt_probe_args(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pdp, dtrace_argdesc_t *args, int max)
{
	dtrace_probedesc_t desc;

	if (pdp->dtpd_id != DTRACE_IDNONE)
		return probe_args(dtp, pdp->dtpd_id, args, max);
	if (probe_fetch(dtp, pdp, 1, &desc, 1) == -1)
		return !dtp->world ? -1 : dt_set_errno(dtp, errno == ESRCH ? EDT_NOPROBE : errno);
	return probe_args(dtp, desc.dtpd_id, args, max);
}
