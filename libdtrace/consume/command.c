/* SPDX-License-Identifier: MIT */
/* command.c - runs the commands of system(), while programs may come to the session. */
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "../world.h"
#include "command.h"

#define MAXPOLL 8

struct command {
	void (*func)(void *arg);
	void *arg;
	int ended; /* an eventfd */
};

static void *command_main(void *arg)
{
	struct command *c = arg;

	c->func(c->arg);
	eventfd_write(c->ended, 1);
	return NULL;
}

void dt_command_wait(dtrace_hdl_t *dtp, void (*func)(void *arg), void *arg)
{
	struct command c = {.func = func, .arg = arg, .ended = -1};
	struct pollfd fds[MAXPOLL];
	pthread_t thread;

	/*
	 * The kernel's world traces programs without this process; and it has news for others than
	 * this function.
	 */
	if (!dt_world_has_stop_points(dtp))
		c.ended = eventfd(0, EFD_CLOEXEC);
	if (c.ended == -1 || pthread_create(&thread, NULL, command_main, &c) != 0) {
		func(arg);
	} else {
		do {
			int n = dt_world_fds(dtp, DT_WORLD_NEWCOMERS, fds + 1, MAXPOLL - 1);

			fds[0] = (struct pollfd){.fd = c.ended, .events = POLLIN};
			if (poll(fds, n + 1, -1) > 0)
				dt_world_work(dtp, NULL, NULL);
			else
				fds[0].revents = 0;
		} while (!fds[0].revents);
		pthread_join(thread, NULL);
	}
	if (c.ended != -1)
		close(c.ended);
}
