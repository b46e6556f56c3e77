/* SPDX-License-Identifier: MIT */
/*
 * userland_clock.c - timers: never early, in phase, in the order of time, and not after they have
 * been stopped.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>
#include "clock.h"
#include "../../libdtrace/now.h"

#define MS   1000000ULL
#define RUNS 20

struct counted {
	struct dt_timer timer;
	uint64_t rest; /* what the timer returns */
	int n;	       /* runs so far */
	uint64_t due[RUNS];
	bool early;  /* it ran before it was due */
	bool signal; /* its thread takes one that programs use */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ran = PTHREAD_COND_INITIALIZER;
static bool closed;	/* timers wait in their run */
static uint64_t latest; /* when the timer that ran last was due */
static bool disordered; /* a timer ran behind one that was due later */

static uint64_t count(struct dt_timer *timer, uint64_t due)
{
	struct counted *c = (struct counted *)timer;
	sigset_t blocked;

	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	pthread_mutex_lock(&lock);
	for (int signal = 1; signal <= SIGSYS; signal++)
		c->signal |= signal != SIGKILL && signal != SIGSTOP &&
			     sigismember(&blocked, signal) == 0;
	c->early |= dt_now() < due;
	disordered |= due < latest;
	latest = due;
	if (c->n < RUNS)
		c->due[c->n] = due;
	c->n++;
	pthread_cond_broadcast(&ran);
	while (closed)
		pthread_cond_wait(&ran, &lock);
	pthread_mutex_unlock(&lock);
	return c->rest;
}

static void counted_start(struct counted *c, uint64_t interval, uint64_t rest)
{
	*c = (struct counted){.timer = {.run = count, .interval = interval}, .rest = rest};
	assert_int_equal(dt_timer_start(&c->timer), 0);
}

/* Wait until a timer has run so many times. */
static void counted_wait(struct counted *c, int n)
{
	pthread_mutex_lock(&lock);
	while (c->n < n)
		pthread_cond_wait(&ran, &lock);
	pthread_mutex_unlock(&lock);
}

/* Check that a timer was due at times in phase, at least apart from each other. */
static void counted_check(const struct counted *c, uint64_t begin, uint64_t apart)
{
	const uint64_t interval = c->timer.interval;

	assert_false(c->early);
	assert_false(c->signal);
	assert_false(disordered);
	assert_in_range(c->due[0], begin + interval, UINT64_MAX);
	for (int i = 1; i < c->n && i < RUNS; i++) {
		assert_in_range(c->due[i], c->due[i - 1] + apart, UINT64_MAX);
		assert_int_equal((c->due[i] - c->due[i - 1] - apart) % interval, 0);
	}
}

static void phases(void **state)
{
	const uint64_t begin = dt_now();
	struct counted slow, fast, resting;

	(void)state;
	counted_start(&slow, 7 * MS, 0);
	counted_start(&fast, 2 * MS, 1); /* a rest of less than the interval is none */
	counted_start(&resting, 3 * MS, 10 * MS);
	counted_wait(&slow, 4);
	counted_wait(&fast, RUNS);
	counted_wait(&resting, 3);
	dt_timer_stop(&fast.timer);
	dt_timer_stop(&resting.timer);
	dt_timer_stop(&slow.timer);
	counted_check(&slow, begin, 7 * MS);
	counted_check(&fast, begin, 2 * MS);
	counted_check(&resting, begin, 10 * MS);
}

/* A timer that was missed for long runs once, then in its former phase. */
static void missed(void **state)
{
	const uint64_t begin = dt_now();
	struct counted c;

	(void)state;
	closed = true;
	counted_start(&c, 2 * MS, 0);
	counted_wait(&c, 1);
	while (dt_now() < c.due[0] + 9 * MS)
		usleep(1000);
	assert_int_equal(c.n, 1);
	pthread_mutex_lock(&lock);
	closed = false;
	pthread_cond_broadcast(&ran);
	pthread_mutex_unlock(&lock);
	counted_wait(&c, 3);
	dt_timer_stop(&c.timer);
	counted_check(&c, begin, 2 * MS);
	assert_in_range(c.due[1], c.due[0] + 10 * MS, UINT64_MAX);
}

static void *stop(void *timer)
{
	dt_timer_stop(timer);
	return timer;
}

/* The end waits for a run, and other timers may come and go meanwhile. */
static void stopped(void **state)
{
	struct counted c, before, after;
	pthread_t stopper;
	void *timer;
	int n;

	(void)state;
	counted_start(&before, 1000 * MS, 0);
	closed = true;
	counted_start(&c, MS, 0);
	counted_start(&after, 1000 * MS, 0);
	counted_wait(&c, 1);
	assert_int_equal(pthread_create(&stopper, NULL, stop, &c.timer), 0);
	usleep(2000);
	assert_int_not_equal(pthread_tryjoin_np(stopper, &timer), 0);
	dt_timer_stop(&after.timer);
	pthread_mutex_lock(&lock);
	closed = false;
	pthread_cond_broadcast(&ran);
	pthread_mutex_unlock(&lock);
	assert_int_equal(pthread_join(stopper, &timer), 0);
	n = c.n;
	counted_start(&after, MS, 0);
	counted_wait(&after, 3);
	assert_int_equal(c.n, n);
	dt_timer_stop(&c.timer); /* again */
	dt_timer_stop(&before.timer);
	dt_timer_stop(&after.timer);
	assert_int_equal(before.n, 0);
}

/* When a session begins, timers that were started before count from then on, once. */
static void begun(void **state)
{
	struct counted c, slow;
	uint64_t begin, due;

	(void)state;
	counted_start(&c, 30 * MS, 0);
	counted_start(&slow, 1000000 * MS, 0);
	usleep(10000);
	begin = dt_now();
	dt_timers_begin();
	due = slow.timer.due;
	usleep(1000);
	dt_timers_begin();
	assert_int_equal(slow.timer.due, due);
	counted_wait(&c, 1);
	dt_timer_stop(&c.timer);
	dt_timer_stop(&slow.timer);
	counted_check(&c, begin, 30 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(phases),
		cmocka_unit_test(missed),
		cmocka_unit_test(stopped),
		cmocka_unit_test(begun),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
