/* SPDX-License-Identifier: MIT */
/*
 * race.c - threads and fork children make all requests of one open file at the same time, in any
 * order and with nearly correct arguments. Meanwhile signals arrive, and the file is closed and
 * passed on.
 *
 *	attack-race session|fasttrap ROUNDS	print "raced" after so many rounds, each with a
 *						new file
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <dtrace/fasttrap.h>
#include <dtrace/ioctl.h>
#include <dtrace/unwind.h>
#include "libdtrace.h"
#include "program.h"

#define THREADS	 6
#define REQUESTS 100 /* of a thread in a round */

static __thread unsigned int seed;
static int fd, parent;
static void *dof;

static unsigned int any(unsigned int n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 8) % n;
}

/* ---- requests of a session ---- */

static void list_probes(void)
{
	static const char *const patterns[] = {
		"",
		"*",
		"tick-*",
		"BEGIN",
		"[a-z]*e",
		"no*such*",
		"???????????????????????????????????????????????????????????????",
		"[a-z][a-z][a-z][a-z][a-z][a-z][a-z][a-z][a-z][a-z][a-z][a-z]",
	};
	dtrace_probedesc_t probes[4];
	dtrace_probes_io_t io = {.match = any(2), .capacity = 1 + any(4)};
	char function[DTRACE_FUNCNAMELEN];

	io.descs = (uintptr_t)probes;
	io.pattern.dtpd_id = any(4);
	memset(function, '?', sizeof(function) - 1);
	function[any(sizeof(function))] = '\0';
	function[sizeof(function) - 1] = '\0';
	snprintf(io.pattern.dtpd_name, sizeof(io.pattern.dtpd_name), "%s", patterns[any(8)]);
	if (any(2))
		memcpy(io.pattern.dtpd_func, function, sizeof(function));
	ioctl(fd, DTRACEIOC_PROBES, &io);
}

static void enable(void)
{
	char why[64];
	dtrace_enable_io_t io = {
		.dofp = (uintptr_t)dof, .errmsg = (uintptr_t)why, .errmsg_len = sizeof(why)};

	ioctl(fd, DTRACEIOC_ENABLE, &io);
}

static void snapshot(void)
{
	static char data[1 << 20];
	dtrace_bufdesc_t desc = {
		.dtbd_data = (uintptr_t)data, .dtbd_size = sizeof(data), .dtbd_cpu = any(3)};

	ioctl(fd, any(2) ? DTRACEIOC_BUFSNAP : DTRACEIOC_AGGSNAP, &desc);
}

static void describe(void)
{
	dtrace_recdesc_t recs[4];
	dtrace_eprobedesc_t ep = {
		.dtepd_epid = any(4), .dtepd_nrecs = any(4), .dtepd_recs = (uintptr_t)recs};
	dtrace_aggdesc_t agg = {
		.dtagd_id = any(3), .dtagd_nrecs = any(4), .dtagd_recs = (uintptr_t)recs};
	dtrace_argdesc_t arg = {.dtargd_id = any(100), .dtargd_ndx = (int32_t)any(12) - 1};
	dtrace_providerdesc_t provider = {.dtvd_name = "profile"};

	ioctl(fd, DTRACEIOC_EPROBE, &ep);
	ioctl(fd, DTRACEIOC_AGGDESC, &agg);
	ioctl(fd, DTRACEIOC_PROBEARG, &arg);
	ioctl(fd, DTRACEIOC_PROVIDER, &provider);
}

static void session_request(void)
{
	dtrace_status_t status;
	dtrace_optget_t opt = {.dtog_option = any(40)};
	dtrace_conf_t conf;
	dtrace_go_t where;
	struct pollfd p = {.fd = fd, .events = POLLIN};

	switch (any(10)) {
	case 0:
		ioctl(fd, DTRACEIOC_GO, &where);
		break;
	case 1:
		if (!any(8))
			ioctl(fd, DTRACEIOC_STOP, &where);
		break;
	case 2:
		enable();
		break;
	case 3:
		snapshot();
		break;
	case 4:
		describe();
		break;
	case 5:
		ioctl(fd, DTRACEIOC_STATUS, &status);
		ioctl(fd, DTRACEIOC_OPTGET, &opt);
		ioctl(fd, DTRACEIOC_CONF, &conf);
		break;
	case 6:
		poll(&p, 1, 0);
		break;
	default:
		list_probes();
	}
}

/* ---- requests of the other device ---- */

static void stop_points(void)
{
	dtrace_stop_exec_t exec = {.dtfx_timeout = 1 + any(3),
				   .dtfx_pid = parent,
				   .dtfx_flags = any(2) ? DTRACE_STOP_FOLLOW : 0};
	dtrace_stop_address_t address = {.dtfa_pid = parent,
					 .dtfa_timeout = 1 + any(3),
					 .dtfa_address = (uintptr_t)stop_points};
	dtrace_stopped_t stopped[4];

	switch (any(6)) {
	case 0:
		ioctl(fd, DTRACEFTIOC_STOP_EXEC, &exec);
		break;
	case 1:
		if (!any(10))
			ioctl(fd, DTRACEFTIOC_STOP_ADDRESS, &address);
		break;
	case 2:
		ioctl(fd, DTRACEFTIOC_STOP_END, any(20));
		break;
	case 3:
		ioctl(fd, DTRACEFTIOC_STOP_RELEASE, parent);
		break;
	default:
		if (read(fd, stopped, sizeof(stopped)) > 0)
			ioctl(fd, DTRACEFTIOC_STOP_RELEASE, stopped[0].dtfd_tid);
	}
}

static void unwind_tables(void)
{
	static dtrace_unwind_rule_t rules[16] = {{.dtur_kind = DTRACE_UNWIND_END}};
	static uint32_t addrs[1 << 18];
	static uint16_t index[1 << 18];
	dtrace_unwind_load_t load = {(uintptr_t)addrs,
				     (uintptr_t)index,
				     (uintptr_t)rules,
				     1 + any(any(2) ? 1 << 18 : 8),
				     1,
				     8,
				     0};
	dtrace_unwind_mapping_t map = {.dtum_start = 4096, .dtum_end = 8192};
	dtrace_unwind_process_t process = {.dtup_pid = parent, .dtup_nmaps = any(2)};
	dtrace_unwind_missing_t missing;

	if (!addrs[1])
		for (uint32_t i = 0; i < 1 << 18; i++)
			addrs[i] = i;
	map.dtum_table = (int32_t)any(4) - 1;
	process.dtup_maps = (uintptr_t)&map;
	ioctl(fd, DTRACEFTIOC_UNWIND_TABLE, &load);
	ioctl(fd, DTRACEFTIOC_UNWIND_MAPS, &process);
	ioctl(fd, DTRACEFTIOC_UNWIND_MISSING, &missing);
}

static void fasttrap_request(void)
{
	dtrace_ft_failure_t list[4];
	dtrace_ft_failures_t failures = {.dtfl_list = (uintptr_t)list, .dtfl_capacity = any(5)};
	dtrace_ft_count_t count = {.dtfc_pid = parent};
	dtrace_ft_remove_t remove = {.dtfm_pid = any(2) ? parent : 0, .dtfm_gen = (int32_t)any(4)};

	switch (any(4)) {
	case 0:
		ioctl(fd, DTRACEFTIOC_FAILURES, &failures);
		ioctl(fd, DTRACEFTIOC_COUNT, &count);
		ioctl(fd, DTRACEFTIOC_REMOVE, &remove);
		break;
	case 1:
		unwind_tables();
		break;
	default:
		stop_points();
	}
}

/* ---- rounds ---- */

static void (*request)(void);

static void *do_requests(void *arg)
{
	seed = (unsigned int)(uintptr_t)arg;
	for (int i = 0; i < REQUESTS; i++)
		request();
	return NULL;
}

static void interrupted(int sig)
{
	(void)sig;
}

/* Pass the file in a message to a process that makes the same requests, and ends at any time. */
static void pass(int socket)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {0};
	char byte = 0;
	struct iovec data = {&byte, 1};
	struct msghdr message = {.msg_iov = &data,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};

	control.head = (struct cmsghdr){.cmsg_level = SOL_SOCKET,
					.cmsg_type = SCM_RIGHTS,
					.cmsg_len = CMSG_LEN(sizeof(int))};
	memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	if (sendmsg(socket, &message, 0) != 1)
		err(3, "sendmsg");
}

static void receive(int socket)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	char byte;
	struct iovec data = {&byte, 1};
	struct msghdr message = {.msg_iov = &data,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};

	if (recvmsg(socket, &message, 0) != 1)
		_exit(0);
	memcpy(&fd, CMSG_DATA(&control.head), sizeof(fd));
	do_requests((void *)7);
	_exit(0);
}

static void race(unsigned int round, const char *name)
{
	pthread_t threads[THREADS];
	int sockets[2];
	pid_t child, other;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		err(3, "socketpair");
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		receive(sockets[1]);
	}
	fd = open(name, O_RDWR | O_NONBLOCK);
	if (fd == -1)
		err(3, "%s", name);
	other = fork();
	if (other == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		do_requests((void *)(uintptr_t)round);
		_exit(0);
	}
	pass(sockets[0]);
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, do_requests, (void *)(round * 100 + i)))
			errx(3, "thread");
	usleep(1000 * any(20));
	kill(any(2) ? child : other, SIGKILL);
	for (int i = 0; i < 20; i++)
		pthread_kill(threads[i % THREADS], SIGUSR1);
	if (any(2))
		close(fd); /* current requests still have references */
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	close(fd);
	close(sockets[0]);
	close(sockets[1]);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	waitpid(other, NULL, 0);
}

/* Compile the program that is enabled. */
static void compile(void)
{
	static const char text[] =
		"BEGIN { trace(1); } END { trace(2); } ERROR { trace(arg4); }"
		"tick-1000 { @[probename] = count(); trace(timestamp); g[pid] = timestamp; }"
		"profile-997 { @k[pid, tid] = quantize(timestamp); self->a = 1; ustack(3); }";
	int error = 0;
	size_t size;
	dtrace_hdl_t *dtp = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &error);
	dtrace_prog_t *prog;

	if (!dtp)
		errx(3, "dtrace_open: error %d", error);
	dtrace_setopt(dtp, "bufsize", "64k");
	dtrace_setopt(dtp, "aggsize", "64k");
	dtrace_setopt(dtp, "dynvarsize", "64k");
	prog = dtrace_program_strcompile(dtp, text, DTRACE_PROBESPEC_NAME, DTRACE_C_ZDEFS, 0, NULL);
	dof = prog ? dtrace_dof_create(dtp, prog, &size) : NULL;
	if (!dof)
		errx(3, "%s", dtrace_errmsg(dtp, dtrace_errno(dtp)));
}

int main(int argc, char **argv)
{
	bool session = argc > 1 && !strcmp(argv[1], "session");
	struct sigaction action = {.sa_handler = interrupted};

	if (argc != 3)
		errx(2, "see the source");
	parent = getpid();
	sigaction(SIGUSR1, &action, NULL);
	if (session)
		compile();
	request = session ? session_request : fasttrap_request;
	for (unsigned int i = 1; i <= (unsigned int)atoi(argv[2]); i++)
		race(i, session ? DTRACE_DEVICE : DTRACE_FASTTRAP_DEVICE);
	puts("raced");
	return 0;
}
