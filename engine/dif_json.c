/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* dif_json.c - json(): the part of a JSON text that a path names. */
#include "dif_subr.h"

#define SUBR_JSON_DEPTH 64 /* nesting that json() looks into */

/* Return the position of the first character from i on that is no blank. */
static size_t json_space(const struct str *s, size_t i)
{
	while (i < s->n &&
	       (s->p[i] == ' ' || s->p[i] == '\t' || s->p[i] == '\n' || s->p[i] == '\r'))
		i++;
	return i;
}

/* Return the position behind the string that begins at i; s->n if it does not end. */
static size_t json_skip_string(const struct str *s, size_t i)
{
	for (i++; i < s->n && s->p[i] != '"'; i++)
		if (s->p[i] == '\\')
			i++;
	return i < s->n ? i + 1 : s->n;
}

/* Return the position behind the value that begins at i. */
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

/* Return the position of the next value, behind the value at i and a comma; s->n: there is none. */
static size_t json_next(const struct str *s, size_t i)
{
	i = json_space(s, json_skip(s, i));
	return i < s->n && s->p[i] == ',' ? json_space(s, i + 1) : s->n;
}

/* Return the position of the value of a member of the object at i; s->n: there is none. */
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
		i = json_next(s, i);
	}
	return s->n;
}

/* Return the position of element n of the array at i; s->n: there is none. */
static size_t json_element(const struct str *s, size_t i, uint64_t n)
{
	if (s->p[i] != '[')
		return s->n;
	i = json_space(s, i + 1);
	while (i < s->n && s->p[i] != ']') {
		if (!n--)
			return i;
		i = json_next(s, i);
	}
	return s->n;
}

static bool json_is_number(const char *p, size_t n)
{
	if (n && *p == '-') {
		p++;
		n--;
	}
	for (size_t i = 0; i < n; i++)
		if (p[i] < '0' || p[i] > '9')
			return false;
	return n > 0;
}

/* Do one step of a path such as a.b[3] or a.b.3, and move *at behind it. */
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
	number.p = path->p + start;
	number.n = end - start;
	if (s->p[i] == '[' && json_is_number(number.p, number.n))
		return json_element(s, i, (uint64_t)subr_parse(&number, 10));
	return json_member(s, i, number.p, number.n);
}

/* Return whether a value is a number, in any of the ways that C has too, or one of three words. */
static bool json_is_plain(const char *p, size_t n)
{
	static const char *const words[] = {"true", "false", "null"};

	for (unsigned int i = 0; i < 3; i++)
		if (n == strlen(words[i]) && memcmp(p, words[i], n) == 0)
			return true;
	if (!n || (*p != '-' && (*p < '0' || *p > '9')))
		return false;
	for (size_t i = 1; i < n; i++)
		if (!p[i] || !strchr("0123456789abcdefABCDEFxX.+-", p[i]))
			return false;
	return true;
}

static uint64_t json_value(struct mstate *m, const struct str *s, size_t i)
{
	size_t end = json_skip(s, i);

	if (s->p[i] == '"')
		return end - i < 2 || s->p[end - 1] != '"' ? 0
							   : subr_put(m, s->p + i + 1, end - i - 2);
	if (s->p[i] == '{' || s->p[i] == '[')
		return subr_put(m, s->p + i, end - i);
	if (end == s->n)
		return 0; /* it was cut off */
	while (end > i && (s->p[end - 1] == ' ' || s->p[end - 1] == '\t' || s->p[end - 1] == '\n' ||
			   s->p[end - 1] == '\r'))
		end--;
	return json_is_plain(s->p + i, end - i) ? subr_put(m, s->p + i, end - i) : 0;
}

uint64_t subr_json(struct mstate *m)
{
	struct str s, path;
	size_t i, at = 0;

	if (!arg_string(m, 0, &s) || !arg_string(m, 1, &path))
		return 0;
	i = json_space(&s, 0);
	for (int depth = 0; at < path.n && i < s.n; depth++) {
		if (depth == SUBR_JSON_DEPTH || !dif_charge_scan(m, 2 * (s.n - i) + path.n))
			return 0;
		if (path.p[at] == '.')
			at++;
		if (at < path.n)
			i = json_step(&s, i, &path, &at);
	}
	return i < s.n && dif_charge_scan(m, 2 * (s.n - i)) ? json_value(m, &s, i) : 0;
}
