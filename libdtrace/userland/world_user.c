/* SPDX-License-Identifier: MIT */
/*
 * world_user.c - the world of processes: the engine runs in the consumer, without the kernel module
 * and without rights.
 *
 * The engine serves all handles of the process. It begins with the first and ends with the last of
 * them.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "../world.h"
#include "clock.h"
#include "command.h"
#include "tick.h"

struct world_user {
	struct dt_world world;
	dtrace_state_t *state;
	int wake;		 /* an eventfd: readable after port_wake() */
	struct dt_timer clean;	 /* from go to close, at the session's cleanrate */
	struct dt_timer deadman; /* likewise, every second */
};

static struct world_user *user_of(struct dt_world *world)
{
	return (struct world_user *)world;
}

/* ---- the engine ---- */

static pthread_mutex_t engine_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned int engine_users; /* [engine_lock] */
static dtrace_provider_t *engine_module;

/* Return whether the name of a provider is one of the kernel module's, those of processes included. */
static bool is_of_module(const char *name)
{
	static const char *const names[] = {
		"cpc",	    "fbt",     "instr", "io",	 "ip",	   "kinst",
		"lockstat", "mib",     "proc",	"rawtp", "sched",  "sdt",
		"syscall",  "sysinfo", "tcp",	"udp",	 "vminfo",
	};
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return len && strchr("0123456789*", name[len - 1]) && strspn(name, "*?") < len;
}

/* Say why there are none of the probes that only the kernel module can make. */
static int module_provide(void *arg, const dtrace_probedesc_t *desc)
{
	(void)arg;
	return desc && is_of_module(desc->dtpd_provider) ? -DTRACE_REFUSED_MODULE : 0;
}

static int module_init(void)
{
	static const dtrace_provider_ops_t ops = {.provide = module_provide};
	static const dtrace_pattr_t attr;
	static const dtrace_ppriv_t priv;

	return dtrace_provider_register("module", &attr, &priv, &ops, NULL, &engine_module);
}

/* Wake the consumer. Probe context: a full counter of the eventfd is awake already. */
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
	int error;

	port_user_init((unsigned int)sysconf(_SC_NPROCESSORS_CONF));
	port_user_on_wake(user_wake);
	error = dtrace_engine_init();
	if (error)
		return error;
	error = dt_tick_init();
	if (error)
		goto no_tick;
	error = module_init();
	if (!error)
		return 0;
	dt_tick_fini();
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
		dt_tick_fini();
		dtrace_engine_fini();
	}
	pthread_mutex_unlock(&engine_lock);
}

/* ---- requests ---- */

static void nothing(void)
{
}

/* Commit and discard speculations on CPUs that do not fire. */
static uint64_t user_clean(struct dt_timer *timer, uint64_t due)
{
	struct world_user *user =
		(struct world_user *)((char *)timer - offsetof(struct world_user, clean));

	(void)due;
	dtrace_state_clean(user->state);
	return 0;
}

/* Note that the machine is alive. */
static uint64_t user_deadman(struct dt_timer *timer, uint64_t due)
{
	struct world_user *user =
		(struct world_user *)((char *)timer - offsetof(struct world_user, deadman));

	(void)due;
	dtrace_state_deadman(user->state);
	return 0;
}

/* Begin the periodic work of a session. Without a thread for it, speculations are cleaned late. */
static void user_started(void *session)
{
	struct world_user *user = session;
	dtrace_optget_t opt = {.dtog_option = DTRACEOPT_CLEANRATE};

	dtrace_state_optget(user->state, &opt);
	user->clean = (struct dt_timer){.run = user_clean,
					.interval = opt.dtog_value ? opt.dtog_value : 1};
	user->deadman = (struct dt_timer){.run = user_deadman, .interval = 1000000000};
	dt_timer_start(&user->clean);
	dt_timer_start(&user->deadman);
}

/* Who may trace is the kernel module's to know. */
static int user_policy(const dtrace_policy_t *policy)
{
	(void)policy;
	return -EOPNOTSUPP;
}

static int user_request(struct dt_world *world, unsigned long request, void *arg)
{
	static const struct dtrace_command_ops ops = {
		.release = DT_VERSION,
		.catch_up = nothing,
		.enabled = nothing,
		.started = user_started,
		.policy = user_policy,
	};
	struct world_user *user = user_of(world);
	int error;

	port_user_set_cpu((unsigned int)sched_getcpu());
	error = dtrace_command(&ops, user, user->state, (unsigned int)request,
			       (uint64_t)(uintptr_t)arg);
	if (!error)
		return 0;
	errno = -error;
	return -1;
}

static const char *user_lacks_processes(struct dt_world *world)
{
	(void)world;
	return "probes of processes need the kernel module (modprobe dtrace, as root), and no "
	       "-x world=user";
}

static int user_process(struct dt_world *world, unsigned long request, void *arg)
{
	(void)world, (void)request, (void)arg;
	errno = ENODEV;
	return -1;
}

/* ---- news ---- */

static int user_fds(struct dt_world *world, enum dt_world_news news, struct pollfd *fds, int max)
{
	struct world_user *user = user_of(world);
	uint64_t count;

	if (news != DT_WORLD_RECORDS || max < 1)
		return 0;
	/* It has been heard, unless there is still something to read. */
	if (read(user->wake, &count, sizeof(count)) == sizeof(count) &&
	    dtrace_state_readable(user->state))
		user_wake(user);
	*fds = (struct pollfd){.fd = user->wake, .events = POLLIN};
	return 1;
}

static void user_work(struct dt_world *world, dt_world_stopped_f *func, void *arg)
{
	(void)world, (void)func, (void)arg;
}

static bool user_has_breakpoint(struct dt_world *world, uint64_t offset, const char *name)
{
	(void)world, (void)offset, (void)name;
	return false;
}

/* ---- open and close ---- */

static void user_close(struct dt_world *world)
{
	struct world_user *user = user_of(world);

	dt_timer_stop(&user->clean);
	dt_timer_stop(&user->deadman);
	dtrace_state_destroy(user->state);
	close(user->wake);
	free(user);
	engine_put();
}

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
	int error;

	user->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (user->wake == -1)
		return -errno;
	error = engine_get();
	if (error)
		goto no_engine;
	error = dtrace_state_create(&cred, user, &user->state);
	if (!error)
		return 0;
	engine_put();
no_engine:
	close(user->wake);
	return error;
}

int dt_world_user_open(struct dt_world **world)
{
	static const struct dt_world_ops ops = {
		.request = user_request,
		.lacks_processes = user_lacks_processes,
		.process = user_process,
		.fds = user_fds,
		.work = user_work,
		.has_breakpoint = user_has_breakpoint,
		.close = user_close,
	};
	struct world_user *user = calloc(1, sizeof(*user));
	int error;

	if (!user)
		return ENOMEM;
	user->world.ops = &ops;
	error = user_open(user);
	if (error) {
		free(user);
		return error == -EDQUOT ? EDT_SESSIONS : -error;
	}
	*world = &user->world;
	return 0;
}
