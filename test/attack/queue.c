/* SPDX-License-Identifier: MIT */
/*
 * queue.c - many threads of one user wait in the queues of the module's locks, again and again, so
 * that other threads would have to wait for all of them.
 *
 *	attack-queue failures N		N threads list the failures of one open file with many sites
 *	attack-queue listing N		N threads, in as many sessions as are allowed, list probes
 *	attack-queue unwind N		N threads open the device, give it an unwind table, and
 *					close it
 *	attack-queue read N FILE	N threads read a file
 *	attack-queue follow N		N processes run, for whose execs there are many stop points
 *	attack-queue describe N		N threads ask for the description of a clause with many
 *					actions
 *	attack-queue arguments N	N threads ask for an argument of a probe with many sites
 *	attack-queue tables N		N threads ask for more memory for unwind tables than there
 *					is, when there are very many
 *	attack-queue table		do once what a thread of unwind does
 *	attack-queue open		open a session and close it
 *
 * It prints "go" when all have begun, or the reason why they have not.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <dtrace/fasttrap.h>
#include <dtrace/helper.h>
#include <dtrace/ioctl.h>
#include <dtrace/unwind.h>
#include "lib/sites.h"

#define SESSIONS 60
#define NSITES	 60000 /* of a registration */
#define NPOINTS	 250   /* of execs */

static pthread_barrier_t all;
static const char *file;

static void go(void)
{
	puts("go");
	fflush(stdout);
}

static int device(const char *name)
{
	int fd = open(name, O_RDWR);

	if (fd == -1)
		err(3, "%s", name);
	return fd;
}

/* ---- failures ---- */

/* Code with space for the sites; nothing calls it. */
extern const char queue_sites[];
__asm__(".text\n.globl queue_sites\nqueue_sites:\n.skip 65536, 0x90\nret\n");

static void *list_failures(void *arg)
{
	dtrace_ft_failures_t failures = {0};

	pthread_barrier_wait(&all);
	for (;;)
		if (ioctl(*(int *)arg, DTRACEFTIOC_FAILURES, &failures))
			err(3, "failures");
	return NULL;
}

/* Register a pid probe with many sites in this program. */
static int many_sites(void)
{
	static struct site sites[NSITES];
	struct dof_bytes dof;
	dtrace_ft_register_t reg = {.dtfr_pid = getpid(), .dtfr_flags = DTRACE_FT_PID};
	char why[256] = "";
	int fd = device(DTRACE_FASTTRAP_DEVICE), n = 0;

	for (unsigned int i = 0; i < NSITES; i++)
		sites[i] = (struct site){"entry", (uintptr_t)(queue_sites + i), 0};
	dof = sites_dof("pid", sites, NSITES, 0);
	reg.dtfr_helper.dofhp_dof = (uintptr_t)dof.data;
	reg.dtfr_errmsg = (uintptr_t)why;
	reg.dtfr_errlen = sizeof(why);
	while (n < 4 && ioctl(fd, DTRACEFTIOC_REGISTER, &reg) >= 0)
		n++;
	if (!n)
		err(3, "%s", why);
	return fd;
}

/* ---- listings ---- */

static void *list_probes(void *arg)
{
	dtrace_probes_io_t io = {.match = 1,
				 .capacity = 1,
				 .pattern = {.dtpd_id = 2, .dtpd_name = "*no*such*probe*"}};
	dtrace_probedesc_t probe;

	io.descs = (uintptr_t)&probe;
	pthread_barrier_wait(&all);
	for (;;)
		if (ioctl(*(int *)arg, DTRACEIOC_PROBES, &io) && errno != ESRCH)
			err(3, "listing");
	return NULL;
}

/* ---- unwind tables ---- */

static void give_table(void)
{
	dtrace_unwind_rule_t rule = {.dtur_kind = DTRACE_UNWIND_END};
	uint32_t addr = 0;
	uint16_t index = 0;
	dtrace_unwind_load_t load = {
		(uintptr_t)&addr, (uintptr_t)&index, (uintptr_t)&rule, 1, 1, 8, 0};
	int fd = device(DTRACE_FASTTRAP_DEVICE);

	if (ioctl(fd, DTRACEFTIOC_UNWIND_TABLE, &load) < 0)
		err(3, "table");
	close(fd);
}

static void *give_tables(void *arg)
{
	(void)arg;
	pthread_barrier_wait(&all);
	for (;;)
		give_table();
	return NULL;
}

#define NCHILDREN 25
#define NTABLES	  DTRACE_UNWIND_MAXMAPS /* of each */

static pid_t child(void)
{
	pid_t pid = fork();

	if (pid == -1)
		err(3, "fork");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	return pid;
}

/* Make tables that processes use: all are looked at when there is no memory. */
static int many_tables(void)
{
	static dtrace_unwind_mapping_t maps[NTABLES];
	const dtrace_unwind_load_t load = {.dtul_word = 8};
	dtrace_unwind_process_t process = {.dtup_nmaps = NTABLES, .dtup_maps = (uintptr_t)maps};
	int fd = device(DTRACE_FASTTRAP_DEVICE);

	for (int i = 0; i < NCHILDREN; i++) {
		for (unsigned int k = 0; k < NTABLES; k++) {
			maps[k] = (dtrace_unwind_mapping_t){.dtum_start = k + 1, .dtum_end = k + 2};
			maps[k].dtum_table = ioctl(fd, DTRACEFTIOC_UNWIND_TABLE, &load);
			if (maps[k].dtum_table < 0)
				err(3, "table %u of child %d", k, i);
		}
		process.dtup_pid = child();
		if (ioctl(fd, DTRACEFTIOC_UNWIND_MAPS, &process))
			err(3, "child %d", i);
	}
	return fd;
}

static void *ask_for_memory(void *arg)
{
	const dtrace_unwind_load_t load = {.dtul_word = 8, .dtul_nrows = DTRACE_UNWIND_MAXROWS};

	pthread_barrier_wait(&all);
	for (;;)
		if (ioctl(*(int *)arg, DTRACEFTIOC_UNWIND_TABLE, &load) >= 0 || errno != ENOSPC)
			err(3, "too large a table");
	return NULL;
}

/* ---- files ---- */

static void *read_file(void *arg)
{
	static __thread char text[1 << 16];
	int fd;

	(void)arg;
	pthread_barrier_wait(&all);
	for (;;) {
		fd = open(file, O_RDONLY);
		if (fd == -1 || read(fd, text, sizeof(text)) < 0)
			err(3, "%s", file);
		close(fd);
	}
	return NULL;
}

/* ---- execs ---- */

static int follow(int n)
{
	dtrace_stop_exec_t exec = {.dtfx_pid = getpid(), .dtfx_flags = DTRACE_STOP_FOLLOW};
	int fd = device(DTRACE_FASTTRAP_DEVICE);

	for (int i = 0; i < NPOINTS; i++)
		if (ioctl(fd, DTRACEFTIOC_STOP_EXEC, &exec) < 0)
			err(3, "stop point %d", i);
	while (n--)
		child();
	go();
	pause();
	return 0;
}

/* ---- sessions with much in them ---- */

#define NACTIONS 65536 /* of a clause */

static dtrace_id_t probe_id;

/* Make a program with one clause of n actions at BEGIN. */
static struct dof_bytes program_dof(unsigned int n)
{
	enum { STRTAB, PROBEDESC, ACTDESC, ECBDESC, NSECTIONS };
	dof_ecbdesc_t ecb = {PROBEDESC, DOF_SECIDX_NONE, ACTDESC, 0, 0};
	dof_actdesc_t *actions = calloc(n, sizeof(*actions));
	struct dof_bytes strings = {0}, dof = {0};
	dof_probedesc_t desc = {.dofp_strtab = STRTAB};

	for (unsigned int i = 0; i < n; i++)
		actions[i] = (dof_actdesc_t){.dofa_difo = DOF_SECIDX_NONE,
					     .dofa_kind = DTRACEACT_PRINTF};
	dof_add_string(&strings, "");
	desc.dofp_provider = dof_add_string(&strings, "dtrace");
	desc.dofp_name = dof_add_string(&strings, "BEGIN");
	dof_begin(&dof, NSECTIONS);
	dof_add_section(&dof, STRTAB, DOF_SECT_STRTAB, 1, 0, strings.data, strings.size);
	dof_add_section(&dof, PROBEDESC, DOF_SECT_PROBEDESC, 4, 0, &desc, sizeof(desc));
	dof_add_section(&dof, ACTDESC, DOF_SECT_ACTDESC, 8, sizeof(*actions), actions,
			n * sizeof(*actions));
	dof_add_section(&dof, ECBDESC, DOF_SECT_ECBDESC, 8, 0, &ecb, sizeof(ecb));
	dof_end(&dof, NSECTIONS, DOF_VERSION_2);
	free(strings.data);
	free(actions);
	return dof;
}

/* Enable a program. Return the session. */
static int session_with(struct dof_bytes program)
{
	char why[512] = "";
	dtrace_enable_io_t io = {.dofp = (uintptr_t)program.data,
				 .errmsg = (uintptr_t)why,
				 .errmsg_len = sizeof(why)};
	int fd = device(DTRACE_DEVICE);

	if (ioctl(fd, DTRACEIOC_ENABLE, &io))
		err(3, "%s", why);
	return fd;
}

static void *ask_description(void *arg)
{
	pthread_barrier_wait(&all);
	for (;;) {
		dtrace_eprobedesc_t desc = {.dtepd_epid = 1};

		if (ioctl(*(int *)arg, DTRACEIOC_EPROBE, &desc))
			err(3, "description");
	}
	return NULL;
}

static void *ask_argument(void *arg)
{
	pthread_barrier_wait(&all);
	for (;;) {
		dtrace_argdesc_t desc = {.dtargd_id = probe_id, .dtargd_ndx = 1};

		if (ioctl(*(int *)arg, DTRACEIOC_PROBEARG, &desc))
			err(3, "argument");
	}
	return NULL;
}

/* Register a probe with many sites, and find its number. Return a session. */
static int probe_with_sites(void)
{
	static struct site sites[NSITES];
	dtrace_probes_io_t io = {.match = 1, .capacity = 1, .pattern = {.dtpd_name = "asked"}};
	int fd = device(DTRACE_DEVICE);
	dtrace_probedesc_t probe;
	struct dof_bytes dof;
	char *at;

	for (unsigned int i = 0; i < NSITES; i++)
		sites[i] = (struct site){"asked", (uintptr_t)(queue_sites + i), 0};
	/* Its addresses are relative to where it is. */
	at = mmap(NULL, 1 << 24, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	dof = sites_dof("queue", sites, NSITES, (uintptr_t)at);
	memcpy(at, dof.data, dof.size);
	if (ioctl(device(DTRACE_HELPER_DEVICE), DTRACEHIOC_ADD, at) < 0)
		err(3, "registration");
	io.descs = (uintptr_t)&probe;
	if (ioctl(fd, DTRACEIOC_PROBES, &io))
		err(3, "the probe with many sites");
	probe_id = probe.dtpd_id;
	return fd;
}

/* ---- the threads ---- */

static int stand(int n, void *(*run)(void *), const int *fds, unsigned int nfds)
{
	pthread_attr_t small;
	pthread_t thread;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 1 << 18);
	pthread_barrier_init(&all, NULL, (unsigned int)n + 1);
	for (int i = 0; i < n; i++)
		if ((errno = pthread_create(&thread, &small, run,
					    (void *)&fds[(unsigned int)i % nfds])))
			err(3, "thread %d", i);
	pthread_barrier_wait(&all);
	go();
	pause();
	return 0;
}

int main(int argc, char **argv)
{
	static int fds[SESSIONS];
	const char *verb = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 0;

	if (!strcmp(verb, "failures")) {
		fds[0] = many_sites();
		return stand(n, list_failures, fds, 1);
	}
	if (!strcmp(verb, "listing")) {
		for (int i = 0; i < SESSIONS; i++)
			fds[i] = device(DTRACE_DEVICE);
		return stand(n, list_probes, fds, SESSIONS);
	}
	if (!strcmp(verb, "unwind"))
		return stand(n, give_tables, fds, 1);
	if (!strcmp(verb, "tables")) {
		fds[0] = many_tables();
		return stand(n, ask_for_memory, fds, 1);
	}
	if (!strcmp(verb, "read") && argc == 4) {
		file = argv[3];
		return stand(n, read_file, fds, 1);
	}
	if (!strcmp(verb, "follow"))
		return follow(n);
	if (!strcmp(verb, "describe")) {
		fds[0] = session_with(program_dof(NACTIONS));
		return stand(n, ask_description, fds, 1);
	}
	if (!strcmp(verb, "arguments")) {
		fds[0] = probe_with_sites();
		return stand(n, ask_argument, fds, 1);
	}
	if (!strcmp(verb, "table"))
		give_table();
	else if (!strcmp(verb, "open"))
		close(device(DTRACE_DEVICE));
	else
		errx(2, "see the source");
	return 0;
}
