/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* dif_json.c - json(): the part of a JSON text that a path names. */
#include "dif_subr.h"

#define SUBR_JSON_DEPTH	64	/* nesting that json() looks into */

static size_t json_space(const struct str *s, size_t i)
{
	while (i < s->n &&
	       (s->p[i] == ' ' || s->p[i] == '\t' || s->p[i] == '\n' || s->p[i] == '\r'))
		i++;
	return i;
}

/* Behind the string that begins at i; s->n if it does not end. */
static size_t json_skip_string(const struct str *s, size_t i)
{
	for (i++; i < s->n && s->p[i] != '"'; i++)
		if (s->p[i] == '\\')
			i++;
	return i < s->n ? i + 1 : s->n;
}

/* Behind the value that begins at i. */
static size_t json_skip(const struct str *s, size_t i)
{
	unsigned int depth = 0;

	while (i < s->n) {
		char c = s->p[i];

		if (c == '"') {
			i = json_skip_string(s, i);
			if (!depth)
				return i;
			continue;
		}
		if ((c == ',' || c == ']' || c == '}') && !depth)
			return i;
		depth += c == '{' || c == '[';
		depth -= c == '}' || c == ']';
		i++;
		if ((c == '}' || c == ']') && !depth)
			return i;
	}
	return s->n;
}

/* Where the value of a member begins, in the object at i; s->n: none. */
static size_t json_member(const struct str *s, size_t i, const char *name, size_t len)
{
	if (s->p[i] != '{')
		return s->n;
	i = json_space(s, i + 1);
	while (i < s->n && s->p[i] == '"') {
		size_t end = json_skip_string(s, i);
		bool hit = end - i == len + 2 && memcmp(s->p + i + 1, name, len) == 0;

		i = json_space(s, end);
		if (i >= s->n || s->p[i] != ':')
			return s->n;
		i = json_space(s, i + 1);
		if (hit)
			return i;
		i = json_space(s, json_skip(s, i));
		if (i >= s->n || s->p[i] != ',')
			return s->n;
		i = json_space(s, i + 1);
	}
	return s->n;
}

/* Where element number n begins, in the array at i. */
static size_t json_element(const struct str *s, size_t i, uint64_t n)
{
	if (s->p[i] != '[')
		return s->n;
	i = json_space(s, i + 1);
	while (i < s->n && s->p[i] != ']') {
		if (!n--)
			return i;
		i = json_space(s, json_skip(s, i));
		if (i >= s->n || s->p[i] != ',')
			return s->n;
		i = json_space(s, i + 1);
	}
	return s->n;
}

/* One step of a path such as a.b[3]; *at moves behind it. */
static size_t json_step(const struct str *s, size_t i, const struct str *path, size_t *at)
{
	size_t start = *at, end;
	struct str number;

	if (path->p[start] == '[') {
		for (end = start + 1; end < path->n && path->p[end] != ']'; end++)
			;
		number.p = path->p + start + 1;
		number.n = end - start - 1;
		*at = end < path->n ? end + 1 : end;
		return json_element(s, i, (uint64_t)subr_parse(&number, 10));
	}
	for (end = start; end < path->n && path->p[end] != '.' && path->p[end] != '['; end++)
		;
	*at = end;
	return json_member(s, i, path->p + start, end - start);
}

static uint64_t json_value(struct firing *f, const struct str *s, size_t i)
{
	size_t end = json_skip(s, i);

	if (s->p[i] == '"')
		return end - i < 2 ? 0 : subr_put(f, s->p + i + 1, end - i - 2);
	while (end > i && (s->p[end - 1] == ' ' || s->p[end - 1] == '\t' || s->p[end - 1] == '\n' ||
			   s->p[end - 1] == '\r'))
		end--;
	return subr_put(f, s->p + i, end - i);
}

uint64_t subr_json(struct firing *f)
{
	struct str s, path;
	size_t i, at = 0;

	if (!arg_string(f, 0, &s) || !arg_string(f, 1, &path))
		return 0;
	i = json_space(&s, 0);
	for (int depth = 0; at < path.n && i < s.n; depth++) {
		if (depth == SUBR_JSON_DEPTH)
			return 0;
		if (path.p[at] == '.')
			at++;
		if (at < path.n)
			i = json_step(&s, i, &path, &at);
	}
	return i < s.n ? json_value(f, &s, i) : 0;
}
