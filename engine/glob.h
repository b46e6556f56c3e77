/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * glob.h - match names against the patterns of probe descriptions. (glob.c)
 *
 * A compiled pattern does not change: no lock protects it.
 */
#ifndef DTRACE_ENGINE_GLOB_H
#define DTRACE_ENGINE_GLOB_H

#include "core.h"

#define GLOB_WORDS 4 /* of 64 positions; a pattern has less than DTRACE_FUNCNAMELEN */
enum glob_kind { GLOB_ANY, GLOB_LITERAL, GLOB_PATTERN };
struct glob {
	const char *pattern; /* kept by the caller */
	enum glob_kind kind;
	uint32_t last;			 /* the position behind the pattern */
	uint64_t stays[GLOB_WORDS];	 /* positions that stay at any character */
	uint64_t steps[256][GLOB_WORDS]; /* positions that move on at a character */
};
struct glob_desc {
	struct glob prov, mod, func, name;
};
/* glob_is_literal - return whether a pattern matches only itself. */
bool glob_is_literal(const char *pattern);
/* glob_compile - prepare a pattern, which must be valid as long as g. */
void glob_compile(struct glob *g, const char *pattern);
/* glob_desc_compile - prepare the four patterns of desc, which must be valid as long as g. */
void glob_desc_compile(struct glob_desc *g, const dtrace_probedesc_t *desc);
/* glob_match - return whether all of s matches. The time is proportional to the length of s. */
bool glob_match(const struct glob *g, const char *s);

#endif
