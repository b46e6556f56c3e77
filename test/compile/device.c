/* SPDX-License-Identifier: MIT */
/*
 * device.c - the tracing device without a kernel: calls of the command and the library to it (open,
 * ioctl) end in the engine within this process. Thus whole D programs run in tests, with what only
 * BEGIN, END and ERROR can show: the language.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include "engine.h"

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);

static dtrace_state_t *device_state;
static dtrace_provider_t *device_providers[4];
static int device_fd = -1;

#define DEVICE_UNTYPED 12 /* arguments of the probe without types */

/* ---- a provider with typed arguments, whose one probe is there to be named ---- */

static bool device_getarg(void *arg, dtrace_probe_t *probe, void *parg, unsigned int n,
			  struct dtrace_arg *out)
{
	static const struct {
		const char *native, *xlate;
	} args[] = {
		{"struct task_struct *", ""},
		{"struct file *", "fileinfo_t *"},
		{"u32", ""},
		{"struct file *", "nowhere_t *"},
		{"int", "long"},
		{"struct mod`file *", ""},
		{"no_such_type_t", ""},
	};

	(void)arg;
	(void)probe;
	(void)parg;
	if (n >= sizeof(args) / sizeof(args[0]))
		return false;
	out->type = args[n].native;
	out->xlate = args[n].xlate;
	return true;
}

static int device_enable_nothing(void *arg, dtrace_probe_t *probe, void *parg)
{
	(void)arg;
	(void)probe;
	(void)parg;
	return 0;
}

static void device_disable_nothing(void *arg, dtrace_probe_t *probe, void *parg)
{
	(void)arg;
	(void)probe;
	(void)parg;
}

/* As of a probe that only SystemTap's notes tell of. */
static bool device_getarg_untyped(void *arg, dtrace_probe_t *probe, void *parg, unsigned int n,
				  struct dtrace_arg *out)
{
	(void)arg;
	(void)probe;
	(void)parg;
	(void)out;
	return n < DEVICE_UNTYPED;
}

static const dtrace_provider_ops_t device_ops = {
	.enable = device_enable_nothing,
	.disable = device_disable_nothing,
	.getarg = device_getarg,
};
static const dtrace_provider_ops_t device_ops_untyped = {
	.enable = device_enable_nothing,
	.disable = device_disable_nothing,
	.getarg = device_getarg_untyped,
};

static void device_provider(int i, const char *name, uint32_t privs,
			    const dtrace_provider_ops_t *ops)
{
	const dtrace_ppriv_t priv = {.dtpp_flags = privs};
	dtrace_provider_t **prov = &device_providers[i];
	dtrace_pattr_t attr = {0};

	if (dtrace_provider_register(name, &attr, &priv, ops, NULL, prov) != 0 ||
	    dtrace_probe_create(*prov, "mod", "do_work", ops == &device_ops ? "entry" : "plain",
				NULL, NULL) != 0)
		abort();
}

/* System calls of 64-bit and of 32-bit programs, for tests that ask for them. */
static void device_calls(void)
{
	static const char *const calls[][2] = {
		{"linux", "read"},
		{"linux32", "read"},
		{"linux32", "socketcall"},
		{"linux32", "waitpid"},
	};
	const dtrace_ppriv_t priv = {.dtpp_flags = DTRACE_PRIV_USER};
	dtrace_provider_t **prov = &device_providers[3];
	dtrace_pattr_t attr = {0};

	if (dtrace_provider_register("syscall", &attr, &priv, &device_ops_untyped, NULL, prov) != 0)
		abort();
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (dtrace_probe_create(*prov, calls[i][0], calls[i][1], "entry", NULL, NULL) != 0)
			abort();
}

static void device_close(void)
{
	dtrace_state_destroy(device_state);
	for (int i = 0; i < 4; i++)
		if (device_providers[i])
			dtrace_provider_unregister(device_providers[i]);
	dtrace_engine_fini();
}

/* Names and times that programs see are always the same, so that their output is. */
static void device_world(void)
{
	port_user_world.pid = port_user_world.tid = 1234;
	port_user_world.ppid = 1;
	port_user_world.execname = "tester";
	port_user_world.uid = 1000;
	port_user_world.gid = 100;
}

static int device_open(void)
{
	static const struct dtrace_cred root = {.privs = DTRACE_PRIV_ALL};

	port_user_init(1);
	device_world();
	if (dtrace_engine_init() != 0 || dtrace_state_create(&root, NULL, &device_state) != 0)
		abort();
	device_provider(0, "typed", DTRACE_PRIV_KERNEL, &device_ops);
	device_provider(1, "typeduser", DTRACE_PRIV_PROC, &device_ops);
	device_provider(2, "noted1234", DTRACE_PRIV_PROC, &device_ops_untyped);
	if (dtrace_probe_create(device_providers[0], "mod", "make_room_noprof", "entry", NULL,
				NULL) != 0)
		abort();
	if (getenv("DEVICE_CALLS"))
		device_calls();
	atexit(device_close);
	device_fd = eventfd(0, EFD_CLOEXEC);
	return device_fd;
}

int __wrap_open(const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	return strcmp(path, DTRACE_DEVICE) == 0 ? device_open() : __real_open(path, flags, mode);
}

static int device_emit(void *ctx, const void *data, size_t n)
{
	uint8_t **out = ctx;

	memcpy(*out, data, n);
	*out += n;
	return 0;
}

static int device_snapshot(bool agg, dtrace_bufdesc_t *desc)
{
	uint8_t *out = (uint8_t *)(uintptr_t)desc->dtbd_data;

	return dtrace_state_snapshot(device_state, agg, desc, device_emit, &out);
}

static int device_probes(dtrace_probes_io_t *io)
{
	return dtrace_state_probe_list(device_state, io,
				       (dtrace_probedesc_t *)(uintptr_t)io->descs);
}

static int device_enable(dtrace_enable_io_t *io)
{
	const dof_hdr_t *dof = (const dof_hdr_t *)(uintptr_t)io->dofp;

	return dtrace_state_enable(device_state, dof, dof->dofh_loadsz, io,
				   (char *)(uintptr_t)io->errmsg, io->errmsg_len);
}

static int device_eprobe(dtrace_eprobedesc_t *ep)
{
	return dtrace_state_eprobe(device_state, ep, (dtrace_recdesc_t *)(uintptr_t)ep->dtepd_recs,
				   ep->dtepd_nrecs);
}

static int device_aggdesc(dtrace_aggdesc_t *ad)
{
	return dtrace_state_aggdesc(device_state, ad, (dtrace_recdesc_t *)(uintptr_t)ad->dtagd_recs,
				    ad->dtagd_nrecs);
}

/* Start tracing; wake the consumer at once if the program has called exit(). */
static int device_go(dtrace_go_t *go)
{
	int rc = dtrace_state_go(device_state, go);

	if (dtrace_state_readable(device_state))
		eventfd_write(device_fd, 1);
	return rc;
}

static int device_request(unsigned long request, void *arg)
{
	switch (request) {
	case DTRACEIOC_PROVIDER:
		return dtrace_state_provider(device_state, arg);
	case DTRACEIOC_PROBES:
		return device_probes(arg);
	case DTRACEIOC_PROBEARG:
		return dtrace_state_probearg(device_state, arg);
	case DTRACEIOC_ENABLE:
		return device_enable(arg);
	case DTRACEIOC_EPROBE:
		return device_eprobe(arg);
	case DTRACEIOC_AGGDESC:
		return device_aggdesc(arg);
	case DTRACEIOC_BUFSNAP:
	case DTRACEIOC_AGGSNAP:
		return device_snapshot(request == DTRACEIOC_AGGSNAP, arg);
	case DTRACEIOC_STATUS:
		return dtrace_state_status(device_state, arg);
	case DTRACEIOC_CONF:
		return dtrace_state_conf(device_state, arg);
	case DTRACEIOC_GO:
		return device_go(arg);
	case DTRACEIOC_STOP:
		return dtrace_state_stop(device_state, arg);
	case DTRACEIOC_OPTGET:
		return dtrace_state_optget(device_state, arg);
	default:
		return -ENOTTY;
	}
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	void *arg;
	int rc;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (fd != device_fd)
		return __real_ioctl(fd, request, arg);
	rc = device_request(request, arg);
	if (rc >= 0)
		return 0;
	errno = -rc;
	return -1;
}
