/* SPDX-License-Identifier: MIT */
/*
 * calls.c - sessions interrupt another processor by calls, without any probe that fires there.
 *
 *	attack-calls begin CPU		trace on that processor only: BEGIN, which works as long as
 *					it may, fires there; end, and begin again
 *	attack-calls snapshots CPU	read that processor's buffers of several sessions, which are
 *					empty, again and again
 *
 * Print how often all threads have done so in three seconds.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <dtrace/ioctl.h>
#include "libdtrace.h"
#include "program.h"

#define THREADS 8

static void *dof;
static uint32_t cpu;
static bool snapshots;
static atomic_ulong done;

/* Double the length of a string; search another one in it; many times. */
#define DOUBLE "this->s = strjoin(this->s, this->s); "
#define SEARCH "@ = sum(index(this->s, this->t)); "
#define X8(x)  x x x x x x x x

static const char begin[] = "BEGIN { this->s = \"aaaaaaaaaaaaaaaa\"; " X8(DOUBLE) DOUBLE
	"this->t = strjoin(this->s, \"b\"); " X8(X8(SEARCH)) "}";

/* Compile the program. */
static void compile(void)
{
	char number[16];
	int error;
	size_t size;
	dtrace_hdl_t *dtp = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &error);
	dtrace_prog_t *prog;

	if (!dtp)
		errx(3, "dtrace_open: error %d", error);
	snprintf(number, sizeof(number), "%u", cpu);
	if (!snapshots)
		dtrace_setopt(dtp, "cpu", number);
	dtrace_setopt(dtp, "strsize", "8k");
	dtrace_setopt(dtp, "bufsize", "16k");
	dtrace_setopt(dtp, "aggsize", "16k");
	prog = dtrace_program_strcompile(dtp, snapshots ? "BEGIN { @ = count(); }" : begin,
					 DTRACE_PROBESPEC_NAME, DTRACE_C_ZDEFS, 0, NULL);
	dof = prog ? dtrace_dof_create(dtp, prog, &size) : NULL;
	if (!dof)
		errx(3, "%s", dtrace_errmsg(dtp, dtrace_errno(dtp)));
}

/* Return a session that traces. */
static int session_begin(void)
{
	char why[256] = "";
	dtrace_enable_io_t enable = {
		.dofp = (uintptr_t)dof, .errmsg = (uintptr_t)why, .errmsg_len = sizeof(why)};
	dtrace_go_t where;
	int fd = open(DTRACE_DEVICE, O_RDWR);

	if (fd < 0 || ioctl(fd, DTRACEIOC_ENABLE, &enable) || ioctl(fd, DTRACEIOC_GO, &where))
		err(3, "a session: %s", why);
	return fd;
}

static void *read_buffers(void *arg)
{
	static char data[1 << 16];
	int fd = session_begin();

	(void)arg;
	for (;;) {
		dtrace_bufdesc_t desc = {
			.dtbd_data = (uintptr_t)data, .dtbd_size = sizeof(data), .dtbd_cpu = cpu};

		if (ioctl(fd, DTRACEIOC_BUFSNAP, &desc))
			err(3, "a snapshot");
		done++;
	}
	return NULL;
}

static void *begin_and_end(void *arg)
{
	(void)arg;
	for (;; done++)
		close(session_begin());
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	cpu_set_t set;

	if (argc != 3)
		errx(2, "see the source");
	cpu = (uint32_t)atoi(argv[2]);
	snapshots = !strcmp(argv[1], "snapshots");
	compile();
	CPU_ZERO(&set);
	for (uint32_t other = 0; other < 64; other++)
		if (other != cpu)
			CPU_SET(other, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(3, "sched_setaffinity");
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, snapshots ? read_buffers : begin_and_end, NULL))
			errx(3, "pthread_create");
	sleep(3);
	printf("%lu\n", done);
	fflush(stdout);
	_exit(0);
}
