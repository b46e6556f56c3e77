/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* port_user.c - the engine's port to a process: for tests, fuzzing, and tracing oneself. */
#include "engine.h"
#include "port.h"
#include <sched.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define PORT_CPUS	64
#define PORT_WINDOWS	8

struct port_cpu {
	pthread_mutex_t mutex;		/* held by whoever is on it with "interrupts off" */
	bool offline;
};

static struct {
	unsigned int ncpus;
	struct port_cpu cpus[PORT_CPUS];
	struct {
		uint64_t base;
		size_t size;
		bool user;
	} windows[PORT_WINDOWS];
	unsigned int nwindows;
	unsigned long allocated, warnings, fail, relaxed, bytes;
	int (*relax)(void *arg);
	void *relax_arg;
	size_t limit;
	bool failed;
} port = { .ncpus = 1 };

static _Thread_local unsigned int port_this_cpu;
static _Thread_local unsigned int port_depth;	/* of port_fire_enter */
_Thread_local struct port_user_world port_user_world;

/* ---- set-up ---- */

void port_user_init(unsigned int ncpus)
{
	port.ncpus = ncpus < PORT_CPUS ? ncpus : PORT_CPUS;
	for (unsigned int i = 0; i < PORT_CPUS; i++) {
		pthread_mutex_init(&port.cpus[i].mutex, NULL);
		port.cpus[i].offline = false;
	}
	port.warnings = port.fail = 0;
	port.nwindows = 0;
}

void port_user_set_cpu(unsigned int cpu)
{
	port_this_cpu = cpu;
}

void port_user_offline(unsigned int cpu, bool offline)
{
	port.cpus[cpu].offline = offline;
}

void port_user_window(void *base, size_t size, bool user)
{
	if (!base) {
		port.nwindows = 0;
	} else if (port.nwindows < PORT_WINDOWS) {
		port.windows[port.nwindows].base = (uint64_t)(uintptr_t)base;
		port.windows[port.nwindows].size = size;
		port.windows[port.nwindows++].user = user;
	}
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

void port_spin_init(port_spin_t *s)
{
	s->locked = 0;
}

void port_spin_lock(port_spin_t *s)
{
	while (__atomic_exchange_n(&s->locked, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

void port_spin_unlock(port_spin_t *s)
{
	__atomic_store_n(&s->locked, 0, __ATOMIC_RELEASE);
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

void port_free(void *p)
{
	if (p)
		__atomic_sub_fetch(&port.allocated, 1, __ATOMIC_RELAXED);
	free(p);
}

uint64_t port_memory(void)
{
	return 16ULL << 30;
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

void port_xcall(unsigned int cpu, void (*fn)(void *arg), void *arg)
{
	unsigned int self = port_this_cpu;
	unsigned long flags;

	port_this_cpu = cpu;
	flags = port_fire_enter();
	fn(arg);
	port_fire_exit(flags);
	port_this_cpu = self;
}

int port_relax(void)
{
	port.relaxed++;
	return port.relax ? port.relax(port.relax_arg) : 0;
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
	return port_user_world.timestamp ? port_user_world.timestamp : port_clock(CLOCK_MONOTONIC);
}

uint64_t port_walltimestamp(void)
{
	return port_user_world.timestamp ? port_user_world.timestamp + 1
					 : port_clock(CLOCK_REALTIME);
}

uint64_t port_vtimestamp(void)
{
	return port_user_world.timestamp ? port_user_world.timestamp + 2
					 : port_clock(CLOCK_THREAD_CPUTIME_ID);
}

/* ---- memory of others ---- */

static bool port_in_window(uint64_t addr, size_t n, bool user)
{
	for (unsigned int i = 0; i < port.nwindows; i++)
		if (port.windows[i].user == user && addr >= port.windows[i].base &&
		    addr - port.windows[i].base <= port.windows[i].size &&
		    n <= port.windows[i].size - (addr - port.windows[i].base))
			return true;
	return port.nwindows == 0;
}

static int port_load(void *dst, uint64_t addr, size_t n, bool user)
{
	struct iovec to = { dst, n }, from = { (void *)(uintptr_t)addr, n };

	if (!port_in_window(addr, n, user))
		return -EFAULT;
	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)n ? 0 : -EFAULT;
}

int port_load_kernel(void *dst, uint64_t addr, size_t n)
{
	return port_load(dst, addr, n, false);
}

int port_load_user(void *dst, uint64_t addr, size_t n)
{
	return port_load(dst, addr, n, true);
}

int port_store_user(uint64_t addr, const void *src, size_t n)
{
	struct iovec from = { (void *)(uintptr_t)src, n }, to = { (void *)(uintptr_t)addr, n };

	if (!port_in_window(addr, n, true))
		return -EFAULT;
	return process_vm_writev(getpid(), &from, 1, &to, 1, 0) == (ssize_t)n ? 0 : -EFAULT;
}

int port_user_word(void)
{
	return 8;
}

/* ---- the current thread ---- */

void port_thread(struct port_thread *t)
{
	const struct port_user_world *w = &port_user_world;

	t->thread = (uint64_t)(uintptr_t)w;
	t->key = w->key ? w->key : t->thread;
	t->born = w->born;
	t->pid = w->pid ? w->pid : (uint32_t)getpid();
	t->tid = w->tid ? w->tid : (uint32_t)gettid();
	t->ppid = w->ppid ? w->ppid : (uint32_t)getppid();
	t->uid = w->uid ? w->uid : (uint32_t)getuid();
	t->gid = w->gid ? w->gid : (uint32_t)getgid();
}

bool port_owns(const struct dtrace_cred *cred)
{
	const struct port_user_world *w = &port_user_world;

	return !w->setid && cred->uid == (w->uid ? w->uid : (uint32_t)getuid());
}

void port_execname(char *buf, size_t size)
{
	snprintf(buf, size, "%s",
		 port_user_world.execname ? port_user_world.execname
					  : program_invocation_short_name);
}

size_t port_args(char *buf, size_t size)
{
	const struct port_user_world *w = &port_user_world;
	size_t n = w->argslen < size ? w->argslen : size;

	if (n)
		memcpy(buf, w->args, n);
	return n;
}

void port_zone(struct port_zone *z)
{
	z->id = port_user_world.zone;
	snprintf(z->name, sizeof(z->name), "host%u", z->id);
}

/* Descriptors 0 to 2 are open. */
uint64_t port_getf(uint32_t fd)
{
	return fd < 3 ? 0x1000 + fd : 0;
}

/* A PID namespace is a number that is taken off, as a namespace counts its processes anew. */
static uint32_t ns_number(const void *pid_ns, uint32_t number)
{
	uint32_t first = pid_ns ? *(const uint32_t *)pid_ns : 0;

	return number > first ? number - first : 0;
}

void port_thread_in_ns(const void *pid_ns, struct port_thread *t)
{
	t->pid = ns_number(pid_ns, t->pid);
	t->tid = ns_number(pid_ns, t->tid);
	t->ppid = ns_number(pid_ns, t->ppid);
}

bool port_locked_down(enum port_lockdown what)
{
	return port_user_world.lockdown > (what == PORT_LOCKDOWN_READ);
}

bool port_progenyof(const void *pid_ns, uint32_t pid)
{
	return pid == ns_number(pid_ns, (uint32_t)getpid()) ||
	       pid == ns_number(pid_ns, (uint32_t)getppid());
}

unsigned int port_ipl(void)
{
	return 0;
}

unsigned int port_stack(uint64_t *pcs, unsigned int n, const void *regs)
{
	unsigned int have = port_user_world.npcs < n ? port_user_world.npcs : n;

	(void)regs;
	if (have)
		memcpy(pcs, port_user_world.pcs, have * sizeof(*pcs));
	return have;
}

int port_ustack(uint64_t *pcs, uint64_t *fps, unsigned int n, const void *regs,
		unsigned int how)
{
	const struct port_user_world *w = &port_user_world;
	unsigned int found = w->npcs ? port_stack(pcs, n, regs) : 0;

	port_user_world.how = how;
	for (unsigned int i = 0; fps && i < found; i++)
		fps[i] = w->fps ? w->fps[i] : 0;
	return found ? (int)found : -EFAULT;
}

const struct dtrace_helpers *port_helpers(void)
{
	return port_user_world.helpers;
}

int port_reg(uint64_t *value, unsigned int reg, const void *regs)
{
	if (!regs || reg >= 27)
		return -EINVAL;
	memcpy(value, (const uint64_t *)regs + reg, sizeof(*value));
	return 0;
}

/* ---- things of the kernel: a path is its text, a lock a word for each of its fields ---- */

int port_d_path(char *buf, size_t size, uint64_t addr)
{
	size_t n = 0;

	while (n < size && port_load_kernel(buf + n, addr + n, 1) == 0) {
		if (!buf[n])
			return (int)n;
		n++;
	}
	return -EFAULT;
}

int port_lock(struct port_lock *l, enum port_lock_kind kind, uint64_t addr)
{
	uint64_t words[4];

	if (port_load_kernel(words, addr, sizeof(words)) != 0)
		return -EFAULT;
	l->owner = kind == PORT_LOCK_MUTEX ? words[0] : 0;
	l->read = words[1];
	l->written = words[2];
	l->wanted = words[3];
	return 0;
}

/* ---- actions ---- */

int port_stop(void)
{
	port_user_world.stops++;
	return 0;
}

int port_raise(unsigned int sig)
{
	port_user_world.raised = sig;
	return 0;
}

void port_breakpoint(void)
{
	port_user_world.breakpoints++;
}

void port_panic(const char *msg)
{
	(void)msg;
	port_user_world.panics++;
}

void port_delay(uint64_t ns)
{
	port_user_world.delayed += ns;
}

void port_wake(void *cookie)
{
	(void)cookie;
	port_user_world.wakes++;
}

uint64_t port_random(void)
{
	static uint64_t seed = 0x9e3779b97f4a7c15ULL;
	uint64_t z;

	if (port_user_world.random)
		return port_user_world.random;
	z = __atomic_add_fetch(&seed, 0x9e3779b97f4a7c15ULL, __ATOMIC_RELAXED);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	return z ^ (z >> 27);
}

void port_secret(void *p, size_t n)
{
	if (getrandom(p, n, 0) != (ssize_t)n)
		abort();
}
