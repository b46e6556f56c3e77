/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * glob.c - patterns of probe descriptions: ?, *, [a-z], [!a-z] and \ for itself.
 *
 * A pattern is made into an automaton whose set of positions is a few words of bits: what was read
 * so far leads to position n if it matches the first n elements. Each character moves all positions
 * at once, so that a match takes time in proportion to the name, whatever the pattern.
 */
#include "glob.h"

/*
 * Return whether one character or bracket expression of a pattern matches c; *end becomes the
 * position behind it.
 */
static bool glob_one(const char *p, char c, const char **end)
{
	bool negate, hit = false;

	if (*p == '?' || (*p == '\\' && p[1])) {
		*end = p + (*p == '?' ? 1 : 2);
		return *p == '?' || p[1] == c;
	}
	if (*p != '[' || !strchr(p + 1, ']')) {
		*end = p + 1;
		return *p == c;
	}
	negate = p[1] == '!';
	p += negate ? 2 : 1;
	do {
		bool range = p[0] && p[1] == '-' && p[2] && p[2] != ']';

		hit |= range ? c >= p[0] && c <= p[2] : c == p[0];
		p += range ? 3 : 1;
	} while (*p && *p != ']');
	*end = p + (*p == ']');
	return hit != negate;
}

bool glob_is_literal(const char *p)
{
	return *p && !strchr(p, '*') && !strchr(p, '?') && !strchr(p, '[') && !strchr(p, '\\');
}

/* Add position n to a set. */
static void glob_set(uint64_t *words, uint32_t n)
{
	words[n / 64] |= 1ULL << n % 64;
}

/* Note which characters lead from position n to the next. Return where the pattern goes on. */
static const char *glob_add(struct glob *g, const char *p, uint32_t n)
{
	const char *end = p + 1;

	/* a bracket that is not closed is one, which must not be found out for each character */
	if (*p != '?' && *p != '\\' && (*p != '[' || !strchr(end, ']'))) {
		glob_set(g->steps[(uint8_t)*p], n);
		return end;
	}
	for (uint32_t c = 0; c < 256; c++)
		if (glob_one(p, (char)c, &end))
			glob_set(g->steps[c], n);
	return end;
}

void glob_compile(struct glob *g, const char *p)
{
	g->pattern = p;
	g->kind = !*p ? GLOB_ANY : glob_is_literal(p) ? GLOB_LITERAL : GLOB_PATTERN;
	if (g->kind == GLOB_PATTERN && p[0] == '*' && !p[1])
		g->kind = GLOB_ANY;
	if (g->kind != GLOB_PATTERN)
		return;
	memset(g->stays, 0, sizeof(g->stays));
	memset(g->steps, 0, sizeof(g->steps));
	g->last = 0;
	while (*p) {
		if (*p == '*') {
			glob_set(g->stays, g->last);
			p++;
		} else {
			p = glob_add(g, p, g->last++);
		}
	}
}

/* Run the automaton over a string. */
static bool glob_run(const struct glob *g, const char *s)
{
	uint32_t words = g->last / 64 + 1;
	uint64_t at[GLOB_WORDS] = {1}, any = 1;

	for (; *s && any; s++) {
		const uint64_t *steps = g->steps[(uint8_t)*s];
		uint64_t carry = 0;

		any = 0;
		for (uint32_t i = 0; i < words; i++) {
			uint64_t moved = at[i] & steps[i];

			at[i] = (moved << 1) | carry | (at[i] & g->stays[i]);
			carry = moved >> 63;
			any |= at[i];
		}
	}
	return any && at[g->last / 64] >> g->last % 64 & 1;
}

bool glob_match(const struct glob *g, const char *s)
{
	if (g->kind == GLOB_PATTERN)
		return glob_run(g, s);
	return g->kind == GLOB_ANY || !strcmp(g->pattern, s);
}

void glob_desc_compile(struct glob_desc *g, const dtrace_probedesc_t *desc)
{
	glob_compile(&g->prov, desc->dtpd_provider);
	glob_compile(&g->mod, desc->dtpd_mod);
	glob_compile(&g->func, desc->dtpd_func);
	glob_compile(&g->name, desc->dtpd_name);
}
