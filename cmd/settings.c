// SPDX-License-Identifier: MIT
/*
 * settings.c - gives the library the options of the command line and of the environment, and prints
 * which of them the module has changed.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"

/*
 * Return whether an option names a world. It has been chosen by settings_world() when the handle
 * was opened, or the mode needs none.
 */
static bool is_world(const char *name, const char *value)
{
	return strcmp(name, "world") == 0 && value && dtrace_world_flag(value) != -1;
}

static void option_set(dtrace_hdl_t *dtp, char *option)
{
	char *value = strchr(option, '=');

	if (value)
		*value++ = '\0';
	if (!is_world(option, value) && dtrace_setopt(dtp, option, value) != 0)
		dfatal(dtp, value ? "failed to set -x %s=%s" : "failed to set -x %s", option,
		       value);
}

/* Treat DTRACE_OPT_NAME=VALUE in the environment as -x name=VALUE before all other options. */
static void environment_set(dtrace_hdl_t *dtp)
{
	static const char prefix[] = "DTRACE_OPT_";
	char name[64];

	for (char **e = environ; *e; e++) {
		const char *text = *e + sizeof(prefix) - 1, *value = strchr(*e, '=');
		size_t n = 0;

		if (strncmp(*e, prefix, sizeof(prefix) - 1) != 0 || !value)
			continue;
		for (; text < value && n < sizeof(name) - 1; text++)
			name[n++] = tolower((unsigned char)*text);
		name[n] = '\0';
		if (!is_world(name, value + 1) &&
		    dtrace_setopt(dtp, name, value[1] != '\0' ? value + 1 : NULL) != 0)
			dfatal(dtp, "failed to set %s of the environment", *e);
	}
}

const char *settings_world(const struct cmd *cmd)
{
	const char *world = getenv("DTRACE_OPT_WORLD");

	for (int i = 0; i < cmd->noptions; i++)
		if (strncmp(cmd->options[i], "world=", 6) == 0)
			world = cmd->options[i] + 6;
	return world;
}

void settings_apply(dtrace_hdl_t *dtp, const struct cmd *cmd)
{
	if (dtrace_setopt(dtp, "bufsize", "4m") != 0 || dtrace_setopt(dtp, "aggsize", "4m") != 0)
		dfatal(dtp, "failed to set the sizes of buffers");
	environment_set(dtp);
	if (cmd->cflags & DTRACE_C_ZDEFS)
		option_set(dtp, "zdefs");
	for (int i = 0; i < cmd->noptions; i++)
		option_set(dtp, cmd->options[i]);
	for (int i = 0; i < cmd->ncppargs; i++) {
		static const struct {
			char letter;
			const char *option;
		} map[] = {{'D', "define"}, {'I', "incdir"}, {'U', "undef"}, {'H', "cpphdrs"}};

		for (size_t j = 0; j < sizeof(map) / sizeof(map[0]); j++)
			if (cmd->cppargs[i][1] == map[j].letter &&
			    dtrace_setopt(dtp, map[j].option,
					  map[j].letter != 'H' ? cmd->cppargs[i] + 2 : NULL) != 0)
				dfatal(dtp, "failed to set %s", cmd->cppargs[i]);
	}
}

/* ---- what the module has changed ---- */

#define NANOSEC 1000000000ULL

static struct adjusted {
	const char *name;
	const char *option;
	bool rate;
	dtrace_optval_t value; /* before tracing begins */
} adjusted[] = {
	{"buffer size", "bufsize", false, DTRACEOPT_UNSET},
	{"aggregation size", "aggsize", false, DTRACEOPT_UNSET},
	{"speculation size", "specsize", false, DTRACEOPT_UNSET},
	{"dynamic variable size", "dynvarsize", false, DTRACEOPT_UNSET},
	{"cleaning rate", "cleanrate", true, DTRACEOPT_UNSET},
	{"status rate", "statusrate", true, DTRACEOPT_UNSET},
};

#define NADJUSTED (sizeof(adjusted) / sizeof(adjusted[0]))

/* Print the size in the largest unit that has no fraction. */
static void size_report(const char *name, uint64_t size)
{
	static const struct {
		int shift;
		const char *unit;
	} units[] = {{40, "t"}, {30, "g"}, {20, "m"}, {10, "k"}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (size != 0 && (size & ((1ULL << units[i].shift) - 1)) == 0) {
			notice("%s lowered to %llu%s", name,
			       (unsigned long long)size >> units[i].shift, units[i].unit);
			return;
		}
	notice("%s lowered to %llu bytes", name, (unsigned long long)size);
}

/* Print the rate in the unit without a fraction: times a second, seconds, or nanoseconds. */
static void rate_report(const char *name, uint64_t was, uint64_t now)
{
	const char *way = now > was ? "reduced" : "increased";

	if (now != 0 && now <= NANOSEC && NANOSEC % now == 0)
		notice("%s %s to %llu hz", name, way, (unsigned long long)(NANOSEC / now));
	else if (now % NANOSEC == 0)
		notice("%s %s to once every %llu seconds", name, way,
		       (unsigned long long)(now / NANOSEC));
	else
		notice("%s %s to once every %llu nanoseconds", name, way, (unsigned long long)now);
}

void settings_remember(dtrace_hdl_t *dtp)
{
	for (size_t i = 0; i < NADJUSTED; i++)
		if (dtrace_getopt(dtp, adjusted[i].option, &adjusted[i].value) != 0)
			dfatal(dtp, "failed to get option %s", adjusted[i].option);
}

void settings_report(dtrace_hdl_t *dtp)
{
	for (const struct adjusted *a = adjusted; a < adjusted + NADJUSTED; a++) {
		dtrace_optval_t now;

		if (dtrace_getopt(dtp, a->option, &now) != 0)
			dfatal(dtp, "failed to get option %s", a->option);
		if (a->value == DTRACEOPT_UNSET)
			continue;
		if (a->rate && now != a->value)
			rate_report(a->name, a->value, now);
		else if (!a->rate && now < a->value)
			size_report(a->name, now);
	}
}
