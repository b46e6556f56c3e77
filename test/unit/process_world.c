/* SPDX-License-Identifier: MIT */
/* process_world.c - the world that tests of processes pretend. */
#include "process_world.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

struct pretended world;
dtrace_hdl_t *dtp;

static const char *world_lacks_nothing(struct dt_world *w)
{
	(void)w;
	return NULL;
}

static int world_process(struct dt_world *w, unsigned long request, void *arg)
{
	(void)w;
	errno = world.error;
	if (world.error)
		return -1;
	switch (request) {
	case DTRACEFTIOC_STOP_EXEC:
		world.exec = *(dtrace_stop_exec_t *)arg;
		if (world.awaits_exec)
			world.awaits_exec();
		return ++world.number;
	case DTRACEFTIOC_STOP_ADDRESS:
		world.address = *(dtrace_stop_address_t *)arg;
		return ++world.number;
	case DTRACEFTIOC_STOP_END:
		world.ended = (int)(intptr_t)arg;
		return world.ended == world.stopped_at;
	case DTRACEFTIOC_STOP_RELEASE:
		world.released = (int)(intptr_t)arg;
		return 0;
	case DTRACEFTIOC_COUNT:
		return 0;
	default:
		if (world.unwind)
			return world.unwind(request, arg);
		errno = ENOTTY;
		return -1;
	}
}

static int world_fds(struct dt_world *w, enum dt_world_news news, struct pollfd *fds, int max)
{
	(void)w;
	assert_int_equal(news, DT_WORLD_STOPS);
	assert_true(max > 0);
	fds[0] = (struct pollfd){.fd = world.event, .events = POLLIN};
	return 1;
}

static void world_work(struct dt_world *w, dt_world_stopped_f *func, void *arg)
{
	int n = world.nnews;

	(void)w;
	world.nnews = 0;
	for (int i = 0; i < n; i++)
		func(&world.news[i], arg);
}

static void world_close(struct dt_world *w)
{
	(void)w;
}

static const struct dt_world_ops world_ops = {
	.stop_points = true,
	.lacks_processes = world_lacks_nothing,
	.process = world_process,
	.fds = world_fds,
	.work = world_work,
	.close = world_close,
};
static struct dt_world the_world = {.ops = &world_ops};

int world_setup(void **state)
{
	int error;

	(void)state;
	memset(&world, 0, sizeof(world));
	world.event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	dtp = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &error);
	if (!dtp || world.event == -1)
		return -1;
	dtp->world = &the_world;
	return 0;
}

int world_teardown(void **state)
{
	(void)state;
	close(world.event);
	dtrace_close(dtp);
	return 0;
}

void world_arrive(int number)
{
	world.news[world.nnews++] = (dtrace_stopped_t){
		.dtfd_tid = TID, .dtfd_point = number, .dtfd_flags = DTRACE_STOP_STOPPED};
}

pid_t world_execute(const char *path)
{
	pid_t pid = fork();
	int status;

	assert_int_not_equal(pid, -1);
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execl(path, path, NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status));
	ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_EXITKILL);
	return pid;
}

void world_kill(pid_t pid)
{
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}
