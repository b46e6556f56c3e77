/* SPDX-License-Identifier: MIT */
/* clock.c - runs timers in a thread of their own. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>
#include "clock.h"
#include "../handle.h"

static struct {
	pthread_mutex_t lock;
	/* signalled when a timer was started, stopped or run; by CLOCK_MONOTONIC */
	pthread_cond_t changed;
	struct dt_timer *timers;  /* not sorted: there are few */
	struct dt_timer *running; /* the timer that runs now, without the lock; NULL: none */
	bool alive;		  /* the thread exists */
	bool ready;		  /* changed has been initialised */
} timing = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Return the timer that is due first, or NULL. */
static struct dt_timer *first_timer(void)
{
	struct dt_timer *first = timing.timers;

	for (struct dt_timer *t = first; t; t = t->next)
		if (t->due < first->due)
			first = t;
	return first;
}

/* Run a timer that is due, without the lock, and set when it is due next. */
static void run_timer(struct dt_timer *timer)
{
	uint64_t due = timer->due, rest, now;

	timing.running = timer;
	pthread_mutex_unlock(&timing.lock);
	rest = timer->run(timer, due);
	pthread_mutex_lock(&timing.lock);
	timing.running = NULL;
	now = dt_now();
	if (rest < timer->interval)
		rest = timer->interval;
	if (timer->due == due) /* dt_timers_begin() has not set it */
		timer->due += rest;
	if (timer->due <= now) /* keep the phase */
		timer->due +=
			(now - timer->due) / timer->interval * timer->interval + timer->interval;
	pthread_cond_broadcast(&timing.changed);
}

static void *clock_thread(void *arg)
{
	struct dt_timer *timer;

	(void)arg;
	pthread_mutex_lock(&timing.lock);
	while ((timer = first_timer())) {
		struct timespec until = {.tv_sec = (time_t)(timer->due / 1000000000),
					 .tv_nsec = (long)(timer->due % 1000000000)};

		if (timer->due <= dt_now())
			run_timer(timer);
		else
			pthread_cond_timedwait(&timing.changed, &timing.lock, &until);
	}
	timing.alive = false;
	pthread_mutex_unlock(&timing.lock);
	return NULL;
}

/* Start the thread if it does not run. Called with the lock. Return 0 or an errno. */
static int thread_start(void)
{
	sigset_t all, before;
	pthread_t thread;
	pthread_attr_t attr;
	int error;

	if (timing.alive)
		return 0;
	if (!timing.ready) {
		pthread_condattr_t monotonic;

		pthread_condattr_init(&monotonic);
		pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
		pthread_cond_init(&timing.changed, &monotonic);
		pthread_condattr_destroy(&monotonic);
		timing.ready = true;
	}
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&thread, &attr, clock_thread, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	timing.alive = error == 0;
	return error;
}

int dt_timer_start(struct dt_timer *timer)
{
	int error;

	pthread_mutex_lock(&timing.lock);
	timer->due = dt_now() + timer->interval;
	timer->early = true;
	timer->next = timing.timers;
	timing.timers = timer;
	error = thread_start();
	if (error)
		timing.timers = timer->next;
	else
		pthread_cond_broadcast(&timing.changed);
	pthread_mutex_unlock(&timing.lock);
	return error;
}

void dt_timers_begin(void)
{
	pthread_mutex_lock(&timing.lock);
	for (struct dt_timer *t = timing.timers; t; t = t->next) {
		if (t->early)
			t->due = dt_now() + t->interval;
		t->early = false;
	}
	pthread_mutex_unlock(&timing.lock);
}

void dt_timer_stop(struct dt_timer *timer)
{
	struct dt_timer **at = &timing.timers;

	pthread_mutex_lock(&timing.lock);
	while (*at && *at != timer)
		at = &(*at)->next;
	if (*at) {
		while (timing.running == timer)
			pthread_cond_wait(&timing.changed, &timing.lock);
		/* Other threads may have changed the list meanwhile. */
		for (at = &timing.timers; *at != timer; at = &(*at)->next)
			;
		*at = timer->next;
		pthread_cond_broadcast(&timing.changed);
	}
	pthread_mutex_unlock(&timing.lock);
}
