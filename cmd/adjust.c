// SPDX-License-Identifier: MIT
/*
 * adjust.c - options that the module did not take as they were: when tracing begins the command
 * says what it got instead.
 */
#include "cmd.h"

#define NANOSEC 1000000000ULL

static struct adjusted {
	const char *name;
	const char *option;
	bool rate;
	dtrace_optval_t value; /* asked for */
} adjusted[] = {
	{"buffer size", "bufsize", false, DTRACEOPT_UNSET},
	{"aggregation size", "aggsize", false, DTRACEOPT_UNSET},
	{"speculation size", "specsize", false, DTRACEOPT_UNSET},
	{"dynamic variable size", "dynvarsize", false, DTRACEOPT_UNSET},
	{"cleaning rate", "cleanrate", true, DTRACEOPT_UNSET},
	{"status rate", "statusrate", true, DTRACEOPT_UNSET},
};

#define NADJUSTED (sizeof(adjusted) / sizeof(adjusted[0]))

/* The largest unit that gives the size without a fraction. */
static void size_tell(const char *name, uint64_t size)
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

/* A rate as what it is a whole number of: times a second, seconds, or nanoseconds. */
static void rate_tell(const char *name, uint64_t was, uint64_t now)
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

void adjust_before(dtrace_hdl_t *dtp)
{
	for (size_t i = 0; i < NADJUSTED; i++)
		if (dtrace_getopt(dtp, adjusted[i].option, &adjusted[i].value) != 0)
			dfatal(dtp, "failed to get option %s", adjusted[i].option);
}

void adjust_tell(dtrace_hdl_t *dtp)
{
	for (const struct adjusted *a = adjusted; a < adjusted + NADJUSTED; a++) {
		dtrace_optval_t now;

		if (dtrace_getopt(dtp, a->option, &now) != 0)
			dfatal(dtp, "failed to get option %s", a->option);
		if (a->value == DTRACEOPT_UNSET)
			continue;
		if (a->rate && now != a->value)
			rate_tell(a->name, a->value, now);
		else if (!a->rate && now < a->value)
			size_tell(a->name, now);
	}
}
