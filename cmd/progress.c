// SPDX-License-Identifier: MIT
/*
 * progress.c - shows a line on the terminal while an operation takes long.
 *
 * A separate thread watches the clock, because the operation is a single call of the library.
 */
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"

#define PATIENCE 2 /* seconds before the line appears */

static struct {
	pthread_mutex_t lock;
	pthread_cond_t over;
	pthread_t thread;
	const char *what;
	bool running, done, shown;
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Wait at most so many seconds for the end. Return whether it has come. Call with the lock held. */
static bool progress_wait(int seconds)
{
	struct timespec until;
	int err = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += seconds;
	while (!progress.done && err == 0)
		err = pthread_cond_timedwait(&progress.over, &progress.lock, &until);
	return progress.done;
}

static void *progress_thread(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&progress.lock);
	for (int seconds = PATIENCE; !progress_wait(seconds == PATIENCE ? PATIENCE : 1);
	     seconds++) {
		fprintf(stderr, "\rdtrace: %s ... %d s", progress.what, seconds);
		fflush(stderr);
		progress.shown = true;
	}
	pthread_mutex_unlock(&progress.lock);
	return NULL;
}

void progress_begin(const char *what)
{
	pthread_condattr_t clock;
	sigset_t all, old;

	if (progress.running || !isatty(STDERR_FILENO))
		return;
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&progress.over, &clock);
	pthread_condattr_destroy(&clock);
	progress.what = what;
	progress.done = progress.shown = false;
	sigfillset(&all); /* the tracing thread handles signals */
	pthread_sigmask(SIG_SETMASK, &all, &old);
	progress.running = pthread_create(&progress.thread, NULL, progress_thread, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void progress_end(void)
{
	if (!progress.running)
		return;
	pthread_mutex_lock(&progress.lock);
	progress.done = true;
	pthread_cond_signal(&progress.over);
	pthread_mutex_unlock(&progress.lock);
	pthread_join(progress.thread, NULL);
	pthread_cond_destroy(&progress.over);
	progress.running = false;
	if (progress.shown)
		fputs("\r\033[K", stderr);
}
