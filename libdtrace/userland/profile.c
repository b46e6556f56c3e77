/* SPDX-License-Identifier: MIT */
/*
 * profile.c - the provider profile of the user world. tick-N fires in the thread of clock.c, on the
 * CPU where that thread runs; profile-N in the thread of sample.c, for running threads of the user.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include "clock.h"
#include "engine.h"
#include "interval.h"
#include "profile.h"
#include "sample.h"

#define TICKS_MAX 4096 /* probes */

/* tick-N or profile-N */
struct tick {
	struct dt_timer timer;
	struct sample_probe sample; /* profile-N */
	bool samples;		    /* profile-N, else tick-N */
	dtrace_probe_t *probe;
	uint64_t bound[PORT_USER_CPUS / 64]; /* CPUs whose own sessions it fires for */
};

static dtrace_provider_t *tick_provider;
static unsigned int nticks; /* changed under the sync lock or by the engine's destroy */

/* ---- firing ---- */

/*
 * Fire a tick that was due at a time: on the CPU of this thread, then for sessions of other CPUs.
 */
static uint64_t tick_run(struct dt_timer *timer, uint64_t due)
{
	struct tick *tick = (struct tick *)timer;
	uint64_t args[3] = {0, 0, port_timestamp() - due}, rest;
	struct dtrace_fire fire = {.args = args, .nargs = 3, .no_process = true};
	unsigned int here = (unsigned int)sched_getcpu();

	port_user_set_cpu(here);
	rest = dtrace_fire_timed(tick->probe, &fire, false);
	for (unsigned int cpu = 0; cpu < port_ncpus(); cpu++)
		if (cpu != here && (port_read_once(&tick->bound[cpu / 64]) >> cpu % 64 & 1)) {
			port_user_set_cpu(cpu);
			rest = dtrace_fire_timed(tick->probe, &fire, true) ? rest : 0;
		}
	return rest;
}

/* ---- operations of the provider ---- */

static int tick_enable(void *arg, dtrace_probe_t *probe, void *parg)
{
	struct tick *tick = parg;

	(void)arg;
	tick->probe = probe;
	if (tick->samples) {
		tick->sample =
			(struct sample_probe){.probe = probe, .interval = tick->timer.interval};
		return dt_sample_start(&tick->sample);
	}
	return -dt_timer_start(&tick->timer);
}

static void tick_disable(void *arg, dtrace_probe_t *probe, void *parg)
{
	struct tick *tick = parg;

	(void)arg, (void)probe;
	if (tick->samples)
		dt_sample_stop(&tick->sample);
	else
		dt_timer_stop(&tick->timer);
	memset(tick->bound, 0, sizeof(tick->bound));
}

static void tick_bind(void *arg, dtrace_probe_t *probe, void *parg, uint32_t cpu)
{
	struct tick *tick = parg;

	(void)arg, (void)probe;
	port_write_once(&tick->bound[cpu / 64], tick->bound[cpu / 64] | 1ULL << cpu % 64);
}

static void tick_destroy(void *arg, dtrace_probe_t *probe, void *parg)
{
	(void)arg, (void)probe;
	nticks--;
	free(parg);
}

/* Read the name of a probe: tick-N or profile-N. Return false if it is no such name. */
static bool tick_parse(const char *name, bool *ticks, uint64_t *interval)
{
	*ticks = strncmp(name, "tick-", 5) == 0;
	return (*ticks || strncmp(name, "profile-", 8) == 0) &&
	       interval_parse(strchr(name, '-') + 1, interval);
}

/*
 * Create the probe of a name. Return 0, also if the probe exists or the name is not valid; or an
 * error.
 */
static int tick_create(const char *name)
{
	struct tick *tick;
	uint64_t interval;
	bool ticks;
	int error;

	if (!tick_parse(name, &ticks, &interval))
		return 0;
	if (dtrace_probe_lookup(tick_provider, "", "", name))
		return 0;
	error = ticks ? 0 : dt_sample_check();
	if (error)
		return error;
	if (nticks >= TICKS_MAX)
		return -ENOSPC;
	tick = calloc(1, sizeof(*tick));
	if (!tick)
		return -ENOMEM;
	tick->timer = (struct dt_timer){.run = tick_run, .interval = interval};
	tick->samples = !ticks;
	error = dtrace_probe_create(tick_provider, "", "", name, tick, NULL);
	if (error)
		free(tick);
	else
		nticks++;
	return error;
}

/* Return whether a pattern can match the name of this provider. */
static bool tick_meant(const char *pattern)
{
	return !*pattern || !strcmp(pattern, "profile") || strpbrk(pattern, "*?[\\");
}

/* Create a probe when it is first asked for by its full name. */
static int tick_provide(void *arg, const dtrace_probedesc_t *desc)
{
	(void)arg;
	return desc && tick_meant(desc->dtpd_provider) && !*desc->dtpd_mod && !*desc->dtpd_func
		       ? tick_create(desc->dtpd_name)
		       : 0;
}

/* ---- start and end ---- */

/* Create the ticks that a list of probes shows. */
static int tick_create_defaults(void)
{
	static const char *const names[] = {"tick-1",	"tick-10",   "tick-100",
					    "tick-500", "tick-1000", "tick-5000"};
	int error = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !error; i++)
		error = tick_create(names[i]);
	return error;
}

int dt_profile_init(void)
{
	static const dtrace_provider_ops_t ops = {
		.provide = tick_provide,
		.enable = tick_enable,
		.disable = tick_disable,
		.bind = tick_bind,
		.destroy = tick_destroy,
	};
	static const dtrace_pattr_t attr = {
		.dtpa_provider = DTRACE_ATTR(EVOLVING, EVOLVING, COMMON),
		.dtpa_mod = DTRACE_ATTR(UNSTABLE, UNSTABLE, UNKNOWN),
		.dtpa_func = DTRACE_ATTR(PRIVATE, PRIVATE, UNKNOWN),
		.dtpa_name = DTRACE_ATTR(EVOLVING, EVOLVING, COMMON),
		.dtpa_args = DTRACE_ATTR(EVOLVING, EVOLVING, COMMON),
	};
	static const dtrace_ppriv_t priv = {.dtpp_flags = DTRACE_PRIV_USER};
	int error = dtrace_provider_register("profile", &attr, &priv, &ops, NULL, &tick_provider);

	if (!error)
		error = tick_create_defaults();
	if (error && tick_provider)
		dt_profile_fini();
	return error;
}

void dt_profile_fini(void)
{
	dtrace_provider_unregister(tick_provider);
	tick_provider = NULL;
}
