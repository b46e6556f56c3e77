/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * port_user.c - the run time of the engine in a process.
 */
#include "port.h"
#include <sched.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

struct port_cpu {
	pthread_mutex_t mutex; /* held by the thread that is on it with "interrupts off" */
	bool offline;
};

static struct {
	unsigned int ncpus, slots;
	struct port_cpu cpus[PORT_USER_CPUS];
	unsigned long allocated, warnings, fail, relaxed, bytes;
	int (*relax)(void *arg);
	void *relax_arg;
	void (*wake)(void *cookie);
	size_t limit;
	bool failed;
	unsigned int nap; /* ms */
	uint32_t stuck;	  /* an owner for whose lock a thread waits; 0: none */
	uint64_t random;  /* state of random numbers */
} port = {.ncpus = 1, .slots = 1};

static _Thread_local unsigned int port_this_cpu;
static _Thread_local unsigned int port_depth; /* of port_fire_enter */
_Thread_local struct port_user_world port_user_world;

/* ---- set-up ---- */

void port_user_init(unsigned int ncpus)
{
	port.ncpus = ncpus < PORT_USER_CPUS ? ncpus : PORT_USER_CPUS;
	for (unsigned int i = 0; i < PORT_USER_CPUS; i++) {
		pthread_mutex_init(&port.cpus[i].mutex, NULL);
		port.cpus[i].offline = false;
	}
	port.warnings = port.fail = 0;
	port.slots = 1;
	port.nap = 1;
}

void port_user_slots(unsigned int slots)
{
	port.slots = slots;
}

void port_user_set_cpu(unsigned int cpu)
{
	port_this_cpu = cpu;
}

void port_user_offline(unsigned int cpu, bool offline)
{
	port.cpus[cpu].offline = offline;
}

bool port_user_fail(unsigned long n)
{
	bool failed = port.failed;

	port.fail = n;
	port.failed = false;
	return failed;
}

void port_user_limit(size_t largest)
{
	port.limit = largest;
}

unsigned long port_user_allocated(void)
{
	return __atomic_load_n(&port.allocated, __ATOMIC_RELAXED);
}

void port_user_relax(int (*relax)(void *arg), void *arg)
{
	port.relax = relax;
	port.relax_arg = arg;
}

unsigned long port_user_relaxed(void)
{
	return port.relaxed;
}

void port_user_on_wake(void (*wake)(void *cookie))
{
	port.wake = wake;
}

unsigned long port_user_bytes(void)
{
	return __atomic_load_n(&port.bytes, __ATOMIC_RELAXED);
}

unsigned long port_user_warnings(void)
{
	return port.warnings;
}

bool port_user_warn(bool broken, const char *what, const char *file, int line)
{
	if (broken) {
		fprintf(stderr, "%s:%d: broken invariant: %s\n", file, line, what);
		port.warnings++;
	}
	return broken;
}

/* ---- locks ---- */

void port_mutex_init(port_mutex_t *m)
{
	memset(m, 0, sizeof(*m));
	pthread_mutex_init(&m->mutex, NULL);
}

void port_mutex_lock(port_mutex_t *m)
{
	pthread_mutex_lock(&m->mutex);
	m->owner = pthread_self();
	m->held = true;
}

void port_mutex_unlock(port_mutex_t *m)
{
	m->held = false;
	pthread_mutex_unlock(&m->mutex);
}

bool port_mutex_trylock(port_mutex_t *m)
{
	if (pthread_mutex_trylock(&m->mutex) != 0)
		return false;
	m->owner = pthread_self();
	m->held = true;
	return true;
}

int port_mutex_lock_killable(port_mutex_t *m)
{
	int rc;

	while (!port_mutex_trylock(m)) {
		rc = port_relax();
		if (rc)
			return rc;
		sched_yield();
	}
	return 0;
}

bool port_mutex_held(const port_mutex_t *m)
{
	return m->held && pthread_equal(m->owner, pthread_self());
}

uint32_t port_owner(void)
{
	return PORT_OWNER(1, port_this_cpu);
}

/* No signal handler of the library's process fires probes. */
bool port_is_interrupted(uint32_t owner)
{
	(void)owner;
	return false;
}

void port_others_run(bool nap)
{
	const struct timespec ts = {.tv_nsec = port.nap * 1000000L};

	if (nap && port.nap)
		nanosleep(&ts, NULL);
	else
		sched_yield();
}

void port_user_nap(unsigned int ms)
{
	port.nap = ms;
}

void port_tell_stuck(uint32_t owner)
{
	port_write_once(&port.stuck, owner);
}

uint32_t port_user_stuck(void)
{
	return __atomic_exchange_n(&port.stuck, 0, __ATOMIC_RELAXED);
}

/* ---- memory ---- */

void *port_alloc(size_t size)
{
	void *p;

	if (port.fail && --port.fail == 0) {
		port.failed = true;
		return NULL;
	}
	if (port.limit && size > port.limit)
		return NULL;
	p = calloc(1, size ? size : 1);
	if (p) {
		__atomic_add_fetch(&port.allocated, 1, __ATOMIC_RELAXED);
		__atomic_add_fetch(&port.bytes, size, __ATOMIC_RELAXED);
	}
	return p;
}

void *port_alloc_cpu(size_t size, unsigned int cpu)
{
	(void)cpu;
	return port_alloc(size);
}

void *port_uncharged_begin(void)
{
	return NULL;
}

void port_uncharged_end(void *before)
{
	(void)before;
}

void port_free(void *p)
{
	if (p)
		__atomic_sub_fetch(&port.allocated, 1, __ATOMIC_RELAXED);
	free(p);
}

uint64_t port_memory(void)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* ---- CPUs and firings ---- */

unsigned int port_ncpus(void)
{
	return port.ncpus;
}

bool port_cpu_online(unsigned int cpu)
{
	return !port.cpus[cpu].offline;
}

unsigned int port_cpu(void)
{
	return port_this_cpu;
}

unsigned int port_cpu_number(unsigned int cpu)
{
	return cpu / port.slots;
}

unsigned long port_fire_enter(void)
{
	if (port_depth++ == 0)
		pthread_mutex_lock(&port.cpus[port_this_cpu].mutex);
	return 0;
}

void port_fire_exit(unsigned long flags)
{
	(void)flags;
	if (--port_depth == 0)
		pthread_mutex_unlock(&port.cpus[port_this_cpu].mutex);
}

bool port_xcall(unsigned int cpu, void (*fn)(void *arg), void *arg)
{
	unsigned int self = port_this_cpu;
	unsigned long flags;

	port_this_cpu = cpu;
	flags = port_fire_enter();
	fn(arg);
	port_fire_exit(flags);
	port_this_cpu = self;
	return true;
}

int port_relax(void)
{
	port.relaxed++;
	return port.relax ? port.relax(port.relax_arg) : 0;
}

int port_rest(uint64_t ns)
{
	if (port_user_world.timestamp)
		port_user_world.timestamp += ns;
	return port_relax();
}

void port_grace_period(void)
{
	for (unsigned int i = 0; i < port.ncpus; i++) {
		pthread_mutex_lock(&port.cpus[i].mutex);
		pthread_mutex_unlock(&port.cpus[i].mutex);
	}
}

/* ---- time ---- */

static uint64_t port_clock(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

uint64_t port_timestamp(void)
{
	if (!port_user_world.timestamp)
		return port_clock(CLOCK_MONOTONIC);
	return port_user_world.timestamp += port_user_world.tick;
}

uint64_t port_walltimestamp(void)
{
	return port_user_world.timestamp ? port_user_world.timestamp + 1
					 : port_clock(CLOCK_REALTIME);
}

uint64_t port_firing_time(void)
{
	return port_user_world.timestamp ? port_user_world.timestamp + 2
					 : port_clock(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t port_vtimestamp(uint64_t now)
{
	return now;
}

void port_delay(uint64_t ns)
{
	uint64_t end = port_clock(CLOCK_MONOTONIC) + ns;

	port_user_world.delayed += ns;
	while (!port_user_world.timestamp && port_clock(CLOCK_MONOTONIC) < end)
		sched_yield();
}

/* ---- consumers, policy, random numbers ---- */

bool port_locked_down(enum port_lockdown what)
{
	return port_user_world.lockdown > (what == PORT_LOCKDOWN_READ);
}

void port_wake(void *cookie)
{
	port_user_world.wakes++;
	if (port.wake)
		port.wake(cookie);
}

void port_user_seed(uint64_t seed)
{
	__atomic_store_n(&port.random, seed, __ATOMIC_RELAXED);
}

uint64_t port_random(void)
{
	uint64_t z;

	if (port_user_world.random)
		return port_user_world.random;
	z = __atomic_add_fetch(&port.random, 0x9e3779b97f4a7c15ULL, __ATOMIC_RELAXED);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	return z ^ (z >> 27);
}

void port_secret(void *p, size_t n)
{
	if (getrandom(p, n, 0) != (ssize_t)n)
		abort();
}
