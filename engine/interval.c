// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* interval.c - reads the intervals in names of probes that fire by time. */
#include "interval.h"
#include <dtrace/limits.h>

#define SECOND 1000000000ULL

static const struct {
	const char *suffix;
	uint64_t ns; /* of a unit; 0: times a second */
} units[] = {
	{"", 0},
	{"hz", 0},
	{"ns", 1},
	{"nsec", 1},
	{"us", 1000},
	{"usec", 1000},
	{"ms", 1000000},
	{"msec", 1000000},
	{"s", SECOND},
	{"sec", SECOND},
	{"m", 60 * SECOND},
	{"min", 60 * SECOND},
	{"h", 3600 * SECOND},
	{"hour", 3600 * SECOND},
	{"d", 86400 * SECOND},
	{"day", 86400 * SECOND},
};
#define NUNITS (sizeof(units) / sizeof(units[0]))

/* Return the interval for a number and what follows it; 0: there is no such. */
static uint64_t interval_of(uint64_t n, const char *suffix)
{
	unsigned int i = 0;

	while (i < NUNITS && strcmp(suffix, units[i].suffix))
		i++;
	if (i == NUNITS || !n)
		return 0;
	if (!units[i].ns)
		return SECOND / n;
	return n > DTRACE_INTERVAL_MAX / units[i].ns ? 0 : n * units[i].ns;
}

/* Read a number and advance *s behind its digits. Return 0 if it is too large. */
static uint64_t interval_number(const char **s)
{
	uint64_t n = 0;

	for (; **s >= '0' && **s <= '9'; ++*s) {
		if (n > DTRACE_INTERVAL_MAX)
			return 0;
		n = n * 10 + (uint64_t)(**s - '0');
	}
	return n;
}

bool interval_parse(const char *text, uint64_t *interval)
{
	uint64_t n = interval_number(&text);

	*interval = interval_of(n, text);
	return *interval >= DTRACE_INTERVAL_MIN && *interval <= DTRACE_INTERVAL_MAX;
}
