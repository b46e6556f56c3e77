/* SPDX-License-Identifier: MIT */
/* world_kernel.c - the world of the kernel module: requests go to its devices. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include "world.h"

struct world_kernel {
	struct dt_world world;
	int trace;    /* DTRACE_DEVICE */
	int fasttrap; /* DTRACE_FASTTRAP_DEVICE; -1: not opened yet, or it cannot be */
};

static struct world_kernel *kernel_of(struct dt_world *world)
{
	return (struct world_kernel *)world;
}

static int kernel_request(struct dt_world *world, unsigned long request, void *arg)
{
	return ioctl(kernel_of(world)->trace, request, arg);
}

static const char *kernel_lacks_processes(struct dt_world *world)
{
	struct world_kernel *kernel = kernel_of(world);

	if (kernel->fasttrap == -1)
		kernel->fasttrap = open(DTRACE_FASTTRAP_DEVICE, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	return kernel->fasttrap == -1 ? "failed to open " DTRACE_FASTTRAP_DEVICE : NULL;
}

static int kernel_process(struct dt_world *world, unsigned long request, void *arg)
{
	return ioctl(kernel_of(world)->fasttrap, request, arg);
}

static int kernel_fds(struct dt_world *world, enum dt_world_news news, struct pollfd *fds, int max)
{
	int fd = news == DT_WORLD_RECORDS ? kernel_of(world)->trace : kernel_of(world)->fasttrap;

	if (fd == -1 || max < 1)
		return 0;
	*fds = (struct pollfd){.fd = fd, .events = POLLIN};
	return 1;
}

static void kernel_work(struct dt_world *world, dt_world_stopped_f *func, void *arg)
{
	int fasttrap = kernel_of(world)->fasttrap;
	dtrace_stopped_t stopped;

	while (fasttrap != -1 && read(fasttrap, &stopped, sizeof(stopped)) == sizeof(stopped))
		func(&stopped, arg);
}

/* The module reports failures in the results of requests. */
static bool kernel_complaint(struct dt_world *world, pid_t *pid, char *message, size_t size)
{
	(void)world, (void)pid, (void)message, (void)size;
	return false;
}

/* Return whether a line of /proc/dtrace/fasttrap ends with a file of this name, maybe deleted. */
static bool kernel_line_is_of(const char *line, const char *name)
{
	const char *base = strrchr(line, '/');
	size_t len = strlen(name);

	return base && strncmp(base + 1, name, len) == 0 && strchr(" \n", base[1 + len]);
}

/* The module's table of locations is readable for root only: other users find no breakpoint. */
static bool kernel_has_breakpoint(struct dt_world *world, uint64_t offset, const char *name)
{
	FILE *fp = fopen("/proc/dtrace/fasttrap", "re");
	char line[4600], wanted[32];
	bool found = false;

	(void)world;
	snprintf(wanted, sizeof(wanted), " %#llx ", (unsigned long long)offset);
	while (fp && !found && fgets(line, sizeof(line), fp))
		found = strstr(line, wanted) && kernel_line_is_of(line, name);
	if (fp)
		fclose(fp);
	return found;
}

static void kernel_close(struct dt_world *world)
{
	struct world_kernel *kernel = kernel_of(world);

	close(kernel->trace);
	if (kernel->fasttrap != -1)
		close(kernel->fasttrap);
	free(kernel);
}

static int kernel_open(struct dt_world **world)
{
	static const struct dt_world_ops ops = {
		.stop_points = true,
		.numbers = true,
		.request = kernel_request,
		.lacks_processes = kernel_lacks_processes,
		.process = kernel_process,
		.fds = kernel_fds,
		.work = kernel_work,
		.complaint = kernel_complaint,
		.has_breakpoint = kernel_has_breakpoint,
		.close = kernel_close,
	};
	struct world_kernel *kernel = malloc(sizeof(*kernel));
	int error;

	if (!kernel)
		return ENOMEM;
	*kernel = (struct world_kernel){.world.ops = &ops, .fasttrap = -1};
	kernel->trace = open(DTRACE_DEVICE, O_RDWR | O_CLOEXEC);
	if (kernel->trace != -1) {
		*world = &kernel->world;
		return 0;
	}
	error = errno;
	free(kernel);
	switch (error) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
		return EDT_NODEV;
	case EACCES:
	case EPERM:
		return EDT_ACCESS;
	case EDQUOT:
		return EDT_SESSIONS;
	default:
		return error;
	}
}

const struct dt_world_type dt_world_kernel = {.name = "kernel", .open = kernel_open};

const char *const dt_module_providers[] = {
	"cpc",	    "fbt",     "fsinfo",   "instr", "io",     "ip",    "kinst",
	"lockstat", "mib",     "notifier", "proc",  "rawtp",  "sched", "sdt",
	"tcp",	    "syscall", "sysinfo",  "udp",   "vminfo", NULL,
};
