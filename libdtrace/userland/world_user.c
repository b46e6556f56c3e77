/* SPDX-License-Identifier: MIT */
/*
 * world_user.c - the user world: the engine runs in the consumer, without the kernel module and
 * without privileges.
 *
 * The engine serves all handles of the process. It begins with the first handle and ends with the
 * last.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "../process/procfs.h"
#include "../world.h"
#include "clock.h"
#include "command.h"
#include "descriptors.h"
#include "profile.h"
#include "state.h"
#include "traced.h"

struct world_user {
	struct dt_world world;
	dtrace_state_t *state;
	int wake;		   /* an eventfd: readable after port_wake() */
	int arrived;		   /* the same, if a thread waits at a stop point */
	struct dt_timer clean;	   /* from go to close, at the session's cleanrate */
	struct dt_timer deadman;   /* the same, every second */
	struct dt_timer poll;	   /* the same, to look at the processes */
	struct dt_timer keepalive; /* from the first wait to close, to keep programs waiting */
	struct dt_timer stops; /* from the first stop point to close, to look for threads there */
	uint64_t stopped;      /* when the last one was found */
	struct traced_session traced;
	pthread_mutex_t lock; /* of the list of traced processes, for user_poll(); recursive */
};

static struct world_user *user_of(struct dt_world *world)
{
	return (struct world_user *)world;
}

/* ---- the engine ---- */

static pthread_mutex_t engine_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned int engine_users; /* [engine_lock] */
static dtrace_provider_t *engine_module;

/* Report why probes of the kernel module do not exist. */
static int module_provide(void *arg, const dtrace_probedesc_t *desc)
{
	(void)arg;
	for (const char *const *name = dt_module_providers; desc && *name; name++)
		if (strcmp(desc->dtpd_provider, *name) == 0)
			return -DTRACE_REFUSED_MODULE;
	return 0;
}

/*
 * Wake the consumer. Called in probe context. If the counter of the eventfd is full, the consumer
 * is awake already.
 */
static void user_wake(void *cookie)
{
	const struct world_user *user = cookie;
	uint64_t one = 1;
	int saved = errno;

	if (write(user->wake, &one, sizeof(one)) == -1)
		errno = saved;
}

/* Begin the engine. [engine_lock] Return 0 or a negative errno. */
static int engine_begin(void)
{
	static const dtrace_provider_ops_t ops = {.provide = module_provide};
	static const dtrace_pattr_t attr;
	static const dtrace_ppriv_t priv;
	uint64_t seed;
	int error;

	dtrace_account_share = 100; /* timers fire in threads of this process, not in interrupts */
	port_user_init((unsigned int)sysconf(_SC_NPROCESSORS_CONF));
	port_user_on_wake(user_wake);
	port_secret(&seed, sizeof(seed));
	port_user_seed(seed);
	error = dtrace_engine_init();
	if (error)
		return error;
	error = dt_profile_init();
	if (error)
		goto no_tick;
	error = dtrace_provider_register("module", &attr, &priv, &ops, NULL, &engine_module);
	if (!error)
		return 0;
	dt_profile_fini();
no_tick:
	dtrace_engine_fini();
	return error;
}

static int engine_get(void)
{
	int error = 0;

	pthread_mutex_lock(&engine_lock);
	if (!engine_users)
		error = engine_begin();
	engine_users += !error;
	pthread_mutex_unlock(&engine_lock);
	return error;
}

static void engine_put(void)
{
	pthread_mutex_lock(&engine_lock);
	if (--engine_users == 0) {
		dtrace_provider_unregister(engine_module);
		dt_profile_fini();
		dtrace_engine_fini();
	}
	pthread_mutex_unlock(&engine_lock);
}

/* ---- requests ---- */

static void nothing(void)
{
}

/* Commit and discard speculations on idle CPUs. */
static uint64_t user_clean(struct dt_timer *timer, uint64_t due)
{
	struct world_user *user =
		(struct world_user *)((char *)timer - offsetof(struct world_user, clean));

	(void)due;
	dtrace_state_clean(user->state);
	return 0;
}

/* Feed the deadman timer. */
static uint64_t user_deadman(struct dt_timer *timer, uint64_t due)
{
	struct world_user *user =
		(struct world_user *)((char *)timer - offsetof(struct world_user, deadman));

	(void)due;
	dtrace_state_deadman(user->state);
	return 0;
}

#define POLL_INTERVAL 10000000 /* ns: the largest delay of exit() in a process */

/* Check whether an agent asks for attention. */
static uint64_t user_poll(struct dt_timer *timer, uint64_t due)
{
	struct world_user *user =
		(struct world_user *)((char *)timer - offsetof(struct world_user, poll));
	bool exited, wake;

	(void)due;
	pthread_mutex_lock(&user->lock);
	wake = traced_poll(&user->traced, &exited);
	traced_filters_look(&user->traced);
	if (exited) {
		port_write_once(&user->state->exited, true);
		port_cas(&user->state->activity, DTRACE_ACTIVITY_ACTIVE, DTRACE_ACTIVITY_DRAINING);
		traced_activity(&user->traced, DTRACE_ACTIVITY_DRAINING);
	}
	pthread_mutex_unlock(&user->lock);
	if (wake)
		user_wake(user);
	return 0;
}

#define KEEPALIVE_INTERVAL \
	1000000000 /* ns; programs that wait lose patience after DTRACE_JOIN_SILENCE */

static uint64_t user_keepalive(struct dt_timer *timer, uint64_t due)
{
	struct world_user *user =
		(struct world_user *)((char *)timer - offsetof(struct world_user, keepalive));

	(void)due;
	pthread_mutex_lock(&user->lock);
	traced_keepalive(&user->traced);
	pthread_mutex_unlock(&user->lock);
	return 0;
}

/*
 * How often dtrace looks for threads at stop points, in ns: more often for a while after one has
 * come.
 */
#define STOPS_INTERVAL 200000
#define STOPS_REST     10000000
#define STOPS_BUSY     100000000

static void counter_raise(int fd)
{
	const uint64_t one = 1;

	while (write(fd, &one, sizeof(one)) == -1 && errno == EINTR)
		;
}

static uint64_t user_stops(struct dt_timer *timer, uint64_t due)
{
	struct world_user *user =
		(struct world_user *)((char *)timer - offsetof(struct world_user, stops));

	pthread_mutex_lock(&user->lock);
	if (traced_stops_waiting(&user->traced)) {
		user->stopped = due;
		counter_raise(user->arrived);
	}
	pthread_mutex_unlock(&user->lock);
	return due - user->stopped < STOPS_BUSY ? 0 : STOPS_REST;
}

/*
 * Begin to look for threads at stop points. Without a thread for it they go on after AGENT_STOP_MS.
 */
static void stops_begin(struct world_user *user)
{
	if (user->stops.run)
		return;
	user->stops = (struct dt_timer){.run = user_stops, .interval = STOPS_INTERVAL};
	dt_timer_start(&user->stops);
}

/* Begin to keep programs waiting. Without a thread for it they go on after DTRACE_JOIN_SILENCE. */
static void keepalive_begin(struct world_user *user)
{
	if (user->keepalive.run)
		return;
	user->keepalive = (struct dt_timer){.run = user_keepalive, .interval = KEEPALIVE_INTERVAL};
	dt_timer_start(&user->keepalive);
}

/* Start the periodic work of a session. Without a thread for it, speculations are cleaned late. */
static void user_started(void *session)
{
	struct world_user *user = session;
	dtrace_optget_t opt = {.dtog_option = DTRACEOPT_CLEANRATE};

	dtrace_state_optget(user->state, &opt);
	user->clean = (struct dt_timer){.run = user_clean,
					.interval = opt.dtog_value ? opt.dtog_value : 1};
	user->deadman = (struct dt_timer){.run = user_deadman, .interval = 1000000000};
	dt_timer_start(&user->clean);
	user->poll = (struct dt_timer){.run = user_poll, .interval = POLL_INTERVAL};
	dt_timer_start(&user->deadman);
	dt_timer_start(&user->poll);
}

/* Refuse to set a policy: only the kernel module has one. */
static int user_policy(const dtrace_policy_t *policy)
{
	(void)policy;
	return -EOPNOTSUPP;
}

/* Carry out a request by dtrace's engine. Return 0 or a negative errno. */
static int engine_request(struct world_user *user, unsigned long request, void *arg)
{
	static const struct dtrace_command_ops ops = {
		.release = DT_VERSION,
		.catch_up = nothing,
		.enabled = nothing,
		.started = user_started,
		.policy = user_policy,
	};

	port_user_set_cpu((unsigned int)sched_getcpu());
	return dtrace_command(&ops, user, user->state, (unsigned int)request,
			      (uint64_t)(uintptr_t)arg);
}

/* List probes. Probes of running processes are registered when they are first asked for. */
static int request_probes(struct world_user *user, dtrace_probes_io_t *io)
{
	if (io->pattern.dtpd_id < 2) {
		pthread_mutex_lock(&user->lock);
		traced_scan(&user->traced, io->match ? io->pattern.dtpd_provider : "");
		pthread_mutex_unlock(&user->lock);
	}
	return engine_request(user, DTRACEIOC_PROBES, io);
}

/*
 * Find the running processes that the descriptions of a program can match. The library has made the
 * program, so it is trusted.
 */
static void program_scan(struct world_user *user, const dof_hdr_t *dof)
{
	const char *base = (const char *)dof;

	for (uint32_t i = 0; i < dof->dofh_secnum; i++) {
		const dof_sec_t *sec =
			(const void *)(base + dof->dofh_secoff + i * dof->dofh_secsize);
		const dof_probedesc_t *desc = (const void *)(base + sec->dofs_offset);
		const dof_sec_t *strings;

		if (sec->dofs_type != DOF_SECT_PROBEDESC)
			continue;
		strings = (const void *)(base + dof->dofh_secoff +
					 desc->dofp_strtab * dof->dofh_secsize);
		if (traced_scan(&user->traced, base + strings->dofs_offset + desc->dofp_provider))
			return;
	}
}

/* Enable a program, and note it for the agents. */
static int request_enable(struct world_user *user, dtrace_enable_io_t *io)
{
	int error;

	pthread_mutex_lock(&user->lock);
	program_scan(user, (const void *)(uintptr_t)io->dofp);
	pthread_mutex_unlock(&user->lock);
	error = engine_request(user, DTRACEIOC_ENABLE, io);
	return error ? error : traced_program(&user->traced, (const void *)(uintptr_t)io->dofp);
}

/*
 * Begin to trace. The processes are joined first, so that they trace as soon as BEGIN has fired.
 * Until then their probes do nothing. They share the variables with this engine.
 */
static int request_go(struct world_user *user, dtrace_go_t *go)
{
	int error = dtrace_state_prepare(user->state);

	if (!error)
		error = dt_variables_open(&user->traced.variables);
	if (error)
		return error;
	pthread_mutex_lock(&user->lock);
	error = traced_prepare(&user->traced);
	pthread_mutex_unlock(&user->lock);
	if (error)
		return error;
	dt_timers_begin(); /* joining may have taken longer than their intervals */
	error = engine_request(user, DTRACEIOC_GO, go);
	traced_activity(&user->traced, user->state->activity);
	return error;
}

/* Stop tracing in the processes before END fires. */
static int request_stop(struct world_user *user, dtrace_go_t *go)
{
	int error;

	pthread_mutex_lock(&user->lock);
	traced_activity(&user->traced, DTRACE_ACTIVITY_DRAINING);
	traced_drain(&user->traced);
	pthread_mutex_unlock(&user->lock);
	error = engine_request(user, DTRACEIOC_STOP, go);
	traced_activity(&user->traced, user->state->activity);
	return error;
}

/*
 * Take a snapshot of a CPU of all engines. Data from processes waits until the caller has space for
 * all of it.
 */
static int request_snapshot(struct world_user *user, bool agg, dtrace_bufdesc_t *desc)
{
	struct traced_bytes *bytes;
	dtrace_bufdesc_t own = *desc;
	int error;

	if (desc->dtbd_cpu >= user->traced.ncpus)
		return -ENOENT;
	bytes = traced_collect(&user->traced, agg, desc->dtbd_cpu);
	if (bytes->size > desc->dtbd_size)
		return -ENOBUFS;
	own.dtbd_data += bytes->size;
	own.dtbd_size -= bytes->size;
	error = engine_request(user, agg ? DTRACEIOC_AGGSNAP : DTRACEIOC_BUFSNAP, &own);
	if (error)
		return error;
	if (bytes->size)
		memcpy((void *)(uintptr_t)desc->dtbd_data, bytes->data, bytes->size);
	own.dtbd_data = desc->dtbd_data;
	own.dtbd_size += bytes->size;
	own.dtbd_drops += bytes->drops;
	own.dtbd_errors += bytes->errors;
	if (bytes->complete < own.dtbd_timestamp)
		own.dtbd_timestamp = bytes->complete;
	*desc = own;
	bytes->size = 0;
	bytes->drops = bytes->errors = 0;
	bytes->complete = UINT64_MAX;
	bytes->waiting = false;
	return 0;
}

static int request_status(struct world_user *user, dtrace_status_t *status)
{
	int error = engine_request(user, DTRACEIOC_STATUS, status);

	if (!error)
		traced_status(&user->traced, status);
	return error;
}

static int user_request(struct dt_world *world, unsigned long request, void *arg)
{
	struct world_user *user = user_of(world);
	int error;

	switch (request) {
	case DTRACEIOC_PROBES:
		error = request_probes(user, arg);
		break;
	case DTRACEIOC_ENABLE:
		error = request_enable(user, arg);
		break;
	case DTRACEIOC_GO:
		error = request_go(user, arg);
		break;
	case DTRACEIOC_STOP:
		error = request_stop(user, arg);
		break;
	case DTRACEIOC_BUFSNAP:
	case DTRACEIOC_AGGSNAP:
		error = request_snapshot(user, request == DTRACEIOC_AGGSNAP, arg);
		break;
	case DTRACEIOC_STATUS:
		error = request_status(user, arg);
		break;
	default:
		error = engine_request(user, request, arg);
		break;
	}
	if (!error)
		return 0;
	errno = -error;
	return -1;
}

static const char *user_lacks_processes(struct dt_world *world)
{
	(void)world;
	return NULL;
}

static int user_process(struct dt_world *world, unsigned long request, void *arg)
{
	struct world_user *user = user_of(world);
	int rv;

	port_user_set_cpu((unsigned int)sched_getcpu());
	pthread_mutex_lock(&user->lock);
	switch (request) {
	case DTRACEFTIOC_REGISTER:
		rv = traced_register(&user->traced, arg);
		break;
	case DTRACEFTIOC_REMOVE:
		rv = traced_remove(&user->traced, arg);
		break;
	case DTRACEFTIOC_COUNT:
		rv = traced_count(&user->traced, arg);
		break;
	case DTRACEFTIOC_FAILURES:
		rv = traced_failures(&user->traced, arg);
		break;
	case DTRACEFTIOC_STOP_EXEC:
		keepalive_begin(user);
		stops_begin(user);
		rv = traced_await(&user->traced, arg);
		break;
	case DTRACEFTIOC_STOP_ADDRESS:
		stops_begin(user);
		rv = traced_stop_address(&user->traced, arg);
		break;
	case DTRACEFTIOC_STOP_END:
		rv = traced_await_end(&user->traced, (int)(intptr_t)arg);
		break;
	case DTRACEFTIOC_STOP_RELEASE:
		rv = traced_await_release(&user->traced, (pid_t)(intptr_t)arg);
		break;
	case DTRACEFTIOC_UNWIND_TABLE:
		rv = traced_unwind_table(&user->traced, arg);
		break;
	case DTRACEFTIOC_UNWIND_MAPS:
		rv = traced_unwind_maps(&user->traced, arg);
		break;
	case DTRACEFTIOC_UNWIND_MISSING:
		rv = traced_unwind_missing(&user->traced, arg);
		break;
	default:
		rv = -EOPNOTSUPP;
		break;
	}
	pthread_mutex_unlock(&user->lock);
	if (rv >= 0)
		return rv;
	errno = -rv;
	return -1;
}

/* ---- news ---- */

static int user_fds(struct dt_world *world, enum dt_world_news news, struct pollfd *fds, int max)
{
	struct world_user *user = user_of(world);
	uint64_t count;

	if (max < 1)
		return 0;
	if (news != DT_WORLD_RECORDS) {
		int n = 0, door = traced_fd(&user->traced);

		if (news == DT_WORLD_STOPS)
			fds[n++] = (struct pollfd){.fd = user->arrived, .events = POLLIN};
		if (door != -1 && n < max)
			fds[n++] = (struct pollfd){.fd = door, .events = POLLIN};
		return n;
	}
	/* The event has been read. Signal it again if there is more to read. */
	if (read(user->wake, &count, sizeof(count)) == sizeof(count) &&
	    dtrace_state_readable(user->state))
		user_wake(user);
	*fds = (struct pollfd){.fd = user->wake, .events = POLLIN};
	return 1;
}

static void user_work(struct dt_world *world, dt_world_stopped_f *func, void *arg)
{
	struct world_user *user = user_of(world);
	dtrace_stopped_t stopped;
	uint64_t count;
	bool arrived;

	if (func && read(user->arrived, &count, sizeof(count)) == -1 && errno != EAGAIN)
		return;
	do {
		pthread_mutex_lock(&user->lock);
		traced_work(&user->traced);
		arrived = func && traced_arrived(&user->traced, &stopped);
		pthread_mutex_unlock(&user->lock);
		if (arrived)
			func(&stopped, arg);
	} while (arrived);
	if (!func)
		counter_raise(user->arrived);
}

static bool user_complaint(struct dt_world *world, pid_t *pid, char *message, size_t size)
{
	struct traced_complaint *c = traced_complaint(&user_of(world)->traced);

	if (!c)
		return false;
	*pid = c->pid;
	snprintf(message, size, "%s", c->message);
	free(c);
	return true;
}

static bool user_has_breakpoint(struct dt_world *world, uint64_t offset, const char *name)
{
	(void)world, (void)offset, (void)name;
	return false;
}

static void user_code(struct dt_world *world, uint64_t addr, uint64_t size, uint64_t spare)
{
	struct world_user *user = user_of(world);

	pthread_mutex_lock(&user->lock);
	traced_code(&user->traced, addr, size, spare);
	pthread_mutex_unlock(&user->lock);
}

/* ---- open and close ---- */

static void user_follow(struct dt_world *world, dt_world_met_f *func, void *arg)
{
	user_of(world)->traced.met = func;
	user_of(world)->traced.met_arg = arg;
}

static void user_close(struct dt_world *world)
{
	struct world_user *user = user_of(world);

	dt_timer_stop(&user->clean);
	dt_timer_stop(&user->deadman);
	dt_timer_stop(&user->poll);
	dt_timer_stop(&user->keepalive);
	dt_timer_stop(&user->stops);
	traced_close(&user->traced);
	dtrace_state_destroy(user->state);
	dt_variables_close(&user->traced.variables);
	close(user->wake);
	close(user->arrived);
	free(user);
	engine_put();
}

/* Initialise a lock that its owner can take again: what the session has met leads to requests. */
static void lock_init(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(lock, &attr);
	pthread_mutexattr_destroy(&attr);
}

#define OPEN_DESCRIPTORS 18 /* that a session of one process takes at a time */

/* Open a session of the caller's user. Return 0 or a negative errno. */
static int user_open(struct world_user *user)
{
	const struct dtrace_cred cred = {
		.privs = DTRACE_PRIV_ALL, /* over this process: target.c has no kernel to show */
		.uid = geteuid(),
		.pid = (uint32_t)getpid(),
		.account = getuid(),
		.bytes = sizeof(*user),
	};
	int error = dt_descriptors_check(OPEN_DESCRIPTORS);

	if (error)
		return error;
	user->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (user->wake == -1)
		return -errno;
	user->arrived = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	error = user->arrived == -1 ? -errno : engine_get();
	if (error)
		goto no_engine;
	error = dtrace_state_create(&cred, user, &user->state);
	if (error)
		goto no_state;
	lock_init(&user->lock);
	error = traced_open(&user->traced, user->state);
	if (!error)
		return 0;
	traced_close(&user->traced);
	dtrace_state_destroy(user->state);
	dt_variables_close(&user->traced.variables);
no_state:
	engine_put();
no_engine:
	if (user->arrived != -1)
		close(user->arrived);
	close(user->wake);
	return error;
}

static int world_open(struct dt_world **world)
{
	static const struct dt_world_ops ops = {
		.moves = true,
		.request = user_request,
		.lacks_processes = user_lacks_processes,
		.process = user_process,
		.fds = user_fds,
		.work = user_work,
		.complaint = user_complaint,
		.has_breakpoint = user_has_breakpoint,
		.code = user_code,
		.follow = user_follow,
		.close = user_close,
	};
	struct world_user *user;
	int error;

	/* A number would mean one process for ptrace, and another for /proc/PID/mem. */
	if (dt_proc_is_foreign())
		return EDT_PROCFS;
	user = calloc(1, sizeof(*user));
	if (!user)
		return ENOMEM;
	user->world.ops = &ops;
	error = user_open(user);
	if (error) {
		free(user);
		return error == -EDQUOT			      ? EDT_SESSIONS
		       : error == -EMFILE || error == -ENFILE ? EDT_FILES
		       : (error == -EPERM || error == -ENOSYS) && dt_proc_is_filtered() ? EDT_FILTER
											: -error;
	}
	*world = &user->world;
	return 0;
}

const struct dt_world_type dt_world_user = {
	.name = "user",
	.flag = DTRACE_O_USER,
	.kernel_hint = "load the module (modprobe dtrace, as root), and trace with -x world=kernel",
	.open = world_open,
};
