/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * dif_subr.c - subroutines: what CALL does with the tuple stack as arguments.
 *
 * Strings are at most strsize bytes with their NUL; what is longer is cut. Results that are strings
 * lie in scratch; pointers into an argument (strchr, strstr ...) are addresses in that argument.
 */
#include "core.h"

#define SUBR_JSON_DEPTH	64	/* nesting that json() looks into */

static uint64_t arg(const struct firing *f, unsigned int n)
{
	return f->tuple[n].value;
}

/* The n-th argument as a string. */
static bool arg_string(struct firing *f, unsigned int n, struct str *s)
{
	return mem_string(f, arg(f, n), f->state->strsize - 1, s);
}

static uint64_t subr_put(struct firing *f, const char *p, size_t n)
{
	size_t max = f->state->strsize - 1;

	return mem_put(f, p, n < max ? n : max);
}

/* ---- memory ---- */

static uint64_t subr_copyin(struct firing *f)
{
	uint64_t n = arg(f, 1);
	uint8_t *p = mem_alloc(f, n);

	if (!p || (n && !mem_load_user(f, p, arg(f, 0), n)))
		return 0;
	return (uint64_t)(uintptr_t)p;
}

static uint64_t subr_copyinto(struct firing *f)
{
	uint64_t n = arg(f, 1);
	uint8_t *p = mem_scratch(f, arg(f, 2), n);

	if (p && n)
		mem_load_user(f, p, arg(f, 0), n);
	return 0;
}

static uint64_t subr_copyinstr(struct firing *f)
{
	uint64_t max = f->state->strsize - 1;
	struct str s;

	if (f->ntuple > 1 && arg(f, 1) < max)
		max = arg(f, 1);
	return mem_string_user(f, arg(f, 0), max, &s) ? (uint64_t)(uintptr_t)s.p : 0;
}

static void subr_store_user(struct firing *f, uint64_t addr, const void *p, size_t n)
{
	if (mem_user_allowed(f, addr) && port_store_user(addr, p, n) != 0)
		dif_fault(f, DTRACEFLT_BADADDR, addr);
}

static uint64_t subr_copyout(struct firing *f)
{
	uint8_t *top = f->scratch_top;
	uint64_t n = arg(f, 2);
	void *p = mem_alloc(f, n);

	if (p && n && mem_load(f, p, arg(f, 0), n))
		subr_store_user(f, arg(f, 1), p, n);
	f->scratch_top = top;
	return 0;
}

/* At most the third argument's bytes, always with a NUL. */
static uint64_t subr_copyoutstr(struct firing *f)
{
	uint64_t max = arg(f, 2);
	uint8_t *top = f->scratch_top;
	struct str s;
	uint64_t p;

	if (max && arg_string(f, 0, &s)) {
		s.n = s.n < max - 1 ? s.n : max - 1;
		p = mem_put(f, s.p, s.n);
		if (p)
			subr_store_user(f, arg(f, 1), (const void *)(uintptr_t)p, s.n + 1);
	}
	f->scratch_top = top;
	return 0;
}

static uint64_t subr_alloca(struct firing *f)
{
	void *p = mem_alloc(f, arg(f, 0));

	if (p)
		memset(p, 0, arg(f, 0));
	return (uint64_t)(uintptr_t)p;
}

static uint64_t subr_bcopy(struct firing *f)
{
	uint64_t n = arg(f, 2);
	uint8_t *p = mem_scratch(f, arg(f, 1), n);

	if (p && n)
		mem_load(f, p, arg(f, 0), n);
	return 0;
}

/* ---- strings ---- */

static uint64_t subr_strlen(struct firing *f)
{
	uint8_t *top = f->scratch_top;
	struct str s = { 0 };

	arg_string(f, 0, &s);
	f->scratch_top = top;
	return s.n;
}

static uint64_t subr_strjoin(struct firing *f)
{
	size_t max = f->state->strsize - 1;
	struct str a, b;
	char *p;

	if (!arg_string(f, 0, &a) || !arg_string(f, 1, &b))
		return 0;
	b.n = b.n < max - a.n ? b.n : max - a.n;
	p = mem_alloc(f, a.n + b.n + 1);
	if (!p)
		return 0;
	memcpy(p, a.p, a.n);
	memcpy(p + a.n, b.p, b.n);
	p[a.n + b.n] = '\0';
	return (uint64_t)(uintptr_t)p;
}

static uint64_t subr_strchr(struct firing *f, bool last)
{
	char c = (char)arg(f, 1);
	uint64_t found = 0;
	struct str s;

	if (!arg_string(f, 0, &s))
		return 0;
	if (!c)
		return s.addr + s.n;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] != c)
			continue;
		found = s.addr + i;
		if (!last)
			break;
	}
	return found;
}

static bool subr_at(const struct str *s, size_t i, const struct str *sub)
{
	return sub->n <= s->n - i && memcmp(s->p + i, sub->p, sub->n) == 0;
}

/* First place of sub in s from i on, or from the last up to i; -1: none. */
static int64_t subr_find(const struct str *s, const struct str *sub, size_t i, bool backward)
{
	for (;; i += backward ? -1 : 1) {
		if (i <= s->n && subr_at(s, i, sub))
			return (int64_t)i;
		if (backward ? i == 0 : i >= s->n)
			return -1;
	}
}

static uint64_t subr_strstr(struct firing *f)
{
	struct str s, sub;
	int64_t i;

	if (!arg_string(f, 0, &s) || !arg_string(f, 1, &sub))
		return 0;
	i = subr_find(&s, &sub, 0, false);
	return i < 0 ? 0 : s.addr + (uint64_t)i;
}

static uint64_t subr_index(struct firing *f, bool last)
{
	uint8_t *top = f->scratch_top;
	int64_t from, found = -1;
	struct str s, sub;

	if (arg_string(f, 0, &s) && arg_string(f, 1, &sub)) {
		from = f->ntuple > 2 ? (int64_t)arg(f, 2) : last ? (int64_t)s.n : 0;
		if (from > (int64_t)s.n)
			from = last || !sub.n ? (int64_t)s.n : -1;
		else if (from < 0)
			from = last && sub.n ? -1 : 0;
		if (from >= 0)
			found = subr_find(&s, &sub, (size_t)from, last);
	}
	f->scratch_top = top;
	return (uint64_t)found;
}

/*
 * From a start, which counts from the end if negative; a negative length leaves that much off the
 * end.
 */
static uint64_t subr_substr(struct firing *f)
{
	int64_t start = (int64_t)arg(f, 1), len, end;
	struct str s;

	if (!arg_string(f, 0, &s))
		return 0;
	len = (int64_t)s.n;
	start = start < -(int64_t)DIF_MAX_VALUE ? -(int64_t)DIF_MAX_VALUE : start;
	start += start < 0 ? len : 0;
	end = len;
	if (f->ntuple > 2 && (int64_t)arg(f, 2) < 0)
		end = (int64_t)arg(f, 2) < -len ? 0 : len + (int64_t)arg(f, 2);
	else if (f->ntuple > 2 && (int64_t)arg(f, 2) < len - start)
		end = start + (int64_t)arg(f, 2);
	start = start < 0 ? 0 : start;
	if (start >= end)
		return subr_put(f, "", 0);
	return subr_put(f, s.p + start, (size_t)(end - start));
}

static void subr_set_add(uint64_t set[4], const struct str *s)
{
	for (size_t i = 0; i < s->n; i++)
		set[(uint8_t)s->p[i] >> 6] |= 1ULL << ((uint8_t)s->p[i] & 63);
}

static bool subr_set_has(const uint64_t set[4], char c)
{
	return set[(uint8_t)c >> 6] >> ((uint8_t)c & 63) & 1;
}

/* The next word of a string that is remembered within the clause. */
static uint64_t subr_strtok(struct firing *f)
{
	uint64_t from = arg(f, 0) ? arg(f, 0) : f->strtok, set[4] = { 0 };
	struct str s, delim;
	size_t i = 0, start;

	if (!from)
		return 0;
	if (!mem_string(f, from, f->state->strsize - 1, &s) || !arg_string(f, 1, &delim))
		return 0;
	if (arg(f, 0))	/* a copy that lives as long as the clause */
		s.p = (const char *)(uintptr_t)mem_put(f, s.p, s.n);
	if (!s.p)
		return 0;
	subr_set_add(set, &delim);
	while (i < s.n && subr_set_has(set, s.p[i]))
		i++;
	start = i;
	while (i < s.n && !subr_set_has(set, s.p[i]))
		i++;
	f->strtok = i < s.n ? (uint64_t)(uintptr_t)(s.p + i + 1) : 0;
	return start < s.n ? subr_put(f, s.p + start, i - start) : 0;
}

static uint64_t subr_case(struct firing *f, char first, char last)
{
	struct str s;
	uint64_t p;

	if (!arg_string(f, 0, &s))
		return 0;
	p = subr_put(f, s.p, s.n);
	for (char *c = (char *)(uintptr_t)p; c && *c; c++)
		if (*c >= first && *c <= last)
			*c ^= 0x20;
	return p;
}

/* ---- paths ---- */

/* What is left without slashes at the end; 0: only slashes, or nothing. */
static size_t subr_trim(const struct str *s, size_t n)
{
	while (n && s->p[n - 1] == '/')
		n--;
	return n;
}

/* Where the last part of a path begins. */
static size_t subr_last_part(const struct str *s, size_t n)
{
	while (n && s->p[n - 1] != '/')
		n--;
	return n;
}

static uint64_t subr_basename(struct firing *f)
{
	struct str s;
	size_t end, start;

	if (!arg_string(f, 0, &s))
		return 0;
	end = subr_trim(&s, s.n);
	if (!end)
		return subr_put(f, s.n ? "/" : ".", 1);
	start = subr_last_part(&s, end);
	return subr_put(f, s.p + start, end - start);
}

static uint64_t subr_dirname(struct firing *f)
{
	struct str s;
	size_t end;

	if (!arg_string(f, 0, &s))
		return 0;
	end = subr_last_part(&s, subr_trim(&s, s.n));
	if (!end)
		return subr_put(f, s.n && s.p[0] == '/' ? "/" : ".", 1);
	end = subr_trim(&s, end);
	return end ? subr_put(f, s.p, end) : subr_put(f, "/", 1);
}

/* Length of out without its last part; a leading .. of a relative path stays. */
static size_t subr_path_up(const char *out, size_t n, bool *ok)
{
	size_t start = n;

	while (start && out[start - 1] != '/')
		start--;
	*ok = n && !(n - start == 2 && out[start] == '.' && out[start + 1] == '.');
	if (!*ok)
		return n;
	return start > 1 ? start - 1 : start;
}

/* Add a part of a path to out, which has n bytes; the new length. */
static size_t subr_path_add(char *out, size_t n, const char *part, size_t len)
{
	bool ok, root = n == 1 && out[0] == '/';
	size_t up;

	if (!len || (len == 1 && part[0] == '.'))
		return n;
	if (len == 2 && part[0] == '.' && part[1] == '.') {
		up = subr_path_up(out, n, &ok);
		if (root || ok)
			return root ? n : up;
	}
	if (n && !root)
		out[n++] = '/';
	memcpy(out + n, part, len);
	return n + len;
}

/* A path without empty parts, "." and, as far as it can be known, "..". */
static uint64_t subr_cleanpath(struct firing *f)
{
	struct str s;
	size_t n = 0, i = 0, start;
	char *out;

	if (!arg_string(f, 0, &s))
		return 0;
	out = mem_alloc(f, s.n + 3);
	if (!out)
		return 0;
	if (s.n && s.p[0] == '/')
		out[n++] = '/';
	while (i < s.n) {
		while (i < s.n && s.p[i] == '/')
			i++;
		for (start = i; i < s.n && s.p[i] != '/'; i++)
			;
		n = subr_path_add(out, n, s.p + start, i - start);
	}
	if (!n)
		out[n++] = '.';
	out[n] = '\0';
	return (uint64_t)(uintptr_t)out;
}

/* ---- numbers ---- */

static int subr_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'Z')
		return c - 'A' + 10;
	return 99;
}

/* The base that an optional argument gives: 2 to 36. */
static bool subr_base(struct firing *f, unsigned int n, uint64_t *base)
{
	*base = f->ntuple > n ? arg(f, n) : 10;
	if (*base >= 2 && *base <= 36)
		return true;
	dif_fault(f, DTRACEFLT_ILLOP, 0);
	return false;
}

/* Decimal numbers are signed, others not; octal and hexadecimal ones have their prefix. */
static uint64_t subr_lltostr(struct firing *f)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	uint64_t base, n = arg(f, 0);
	bool minus = false;
	char buf[72];
	size_t at = sizeof(buf);

	if (!subr_base(f, 1, &base))
		return 0;
	if (base == 10 && (int64_t)n < 0) {
		minus = true;
		n = 0 - n;
	}
	do {
		buf[--at] = digits[n % base];
		n /= base;
	} while (n);
	if (base == 16)
		buf[--at] = 'x';
	if (base == 16 || (base == 8 && buf[at] != '0'))
		buf[--at] = '0';
	if (minus)
		buf[--at] = '-';
	return subr_put(f, buf + at, sizeof(buf) - at);
}

static int64_t subr_parse(const struct str *s, uint64_t base)
{
	bool minus = false;
	uint64_t value = 0;
	size_t i = 0;

	while (i < s->n && (s->p[i] == ' ' || (s->p[i] >= '\t' && s->p[i] <= '\r')))
		i++;
	if (i < s->n && (s->p[i] == '-' || s->p[i] == '+'))
		minus = s->p[i++] == '-';
	if (base == 16 && s->n - i >= 2 && s->p[i] == '0' && (s->p[i + 1] | 0x20) == 'x')
		i += 2;
	for (; i < s->n && (uint64_t)subr_digit(s->p[i]) < base; i++)
		value = value * base + (uint64_t)subr_digit(s->p[i]);
	return (int64_t)(minus ? 0 - value : value);
}

static uint64_t subr_strtoll(struct firing *f)
{
	uint8_t *top = f->scratch_top;
	uint64_t base, value = 0;
	struct str s;

	if (subr_base(f, 1, &base) && arg_string(f, 0, &s))
		value = (uint64_t)subr_parse(&s, base);
	f->scratch_top = top;
	return value;
}

/* ---- network addresses ---- */

static size_t subr_put_decimal(char *out, unsigned int n)
{
	size_t len = 0;

	if (n >= 100)
		out[len++] = (char)('0' + n / 100);
	if (n >= 10)
		out[len++] = (char)('0' + n / 10 % 10);
	out[len++] = (char)('0' + n % 10);
	return len;
}

static size_t subr_put_ipv4(char *out, const uint8_t *a)
{
	size_t n = 0;

	for (int i = 0; i < 4; i++) {
		if (i)
			out[n++] = '.';
		n += subr_put_decimal(out + n, a[i]);
	}
	return n;
}

static size_t subr_put_hex(char *out, unsigned int v)
{
	size_t n = 0;

	for (int shift = 12; shift >= 0; shift -= 4)
		if (v >> shift || !shift)
			out[n++] = "0123456789abcdef"[v >> shift & 15];
	return n;
}

/* The longest run of zero groups, two at least: where it begins and its length. */
static int subr_zero_run(const uint16_t *g, int *len)
{
	int best = -1;

	*len = 1;
	for (int i = 0; i < 8; i++) {
		int n = 0;

		while (i + n < 8 && !g[i + n])
			n++;
		if (n > *len) {
			best = i;
			*len = n;
		}
	}
	return best;
}

/* As RFC 5952 writes it; addresses of IPv4 in dots. */
static size_t subr_put_ipv6(char *out, const uint8_t *a)
{
	uint16_t g[8];
	int zero, len;
	size_t n = 0;

	for (int i = 0; i < 8; i++)
		g[i] = (uint16_t)(a[2 * i] << 8 | a[2 * i + 1]);
	zero = subr_zero_run(g, &len);
	if (zero == 0 && (len == 6 || (len == 5 && g[5] == 0xffff))) {
		memcpy(out, len == 6 ? "::" : "::ffff:", len == 6 ? 2 : 7);
		n = len == 6 ? 2 : 7;
		return n + subr_put_ipv4(out + n, a + 12);
	}
	for (int i = 0; i < 8; i++) {
		if (i == zero) {
			out[n++] = ':';
			i += len - 1;
			if (i == 7)
				out[n++] = ':';
			continue;
		}
		if (i)
			out[n++] = ':';
		n += subr_put_hex(out + n, g[i]);
	}
	return n;
}

static uint64_t subr_inet(struct firing *f, uint64_t addr, bool v6)
{
	uint8_t a[16];
	char out[64];

	if (!mem_load(f, a, addr, v6 ? 16 : 4))
		return 0;
	return subr_put(f, out, v6 ? subr_put_ipv6(out, a) : subr_put_ipv4(out, a));
}

static uint64_t subr_inet_ntop(struct firing *f)
{
	enum { AF_INET4 = 2, AF_INET6_LINUX = 10 };
	int family = (int)arg(f, 0);

	if (family == AF_INET4 || family == AF_INET6_LINUX)
		return subr_inet(f, arg(f, 1), family == AF_INET6_LINUX);
	dif_fault(f, DTRACEFLT_ILLOP, 0);
	return 0;
}

/* ---- JSON ---- */

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

static uint64_t subr_json(struct firing *f)
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

/* ---- the table ---- */

static const struct {
	uint8_t nargs;
	const char *why;	/* it is refused */
} subrs[DIF_SUBR_MAX + 1] = {
#define NO_LOCKS	"the kernel's locks cannot be asked for their owner"
	[DIF_SUBR_RAND] = { 0, NULL },
	[DIF_SUBR_MUTEX_OWNED] = { 1, NO_LOCKS },
	[DIF_SUBR_MUTEX_OWNER] = { 1, NO_LOCKS },
	[DIF_SUBR_MUTEX_TYPE_ADAPTIVE] = { 1, NO_LOCKS },
	[DIF_SUBR_MUTEX_TYPE_SPIN] = { 1, NO_LOCKS },
	[DIF_SUBR_RW_READ_HELD] = { 1, NO_LOCKS },
	[DIF_SUBR_RW_WRITE_HELD] = { 1, NO_LOCKS },
	[DIF_SUBR_RW_ISWRITER] = { 1, NO_LOCKS },
	[DIF_SUBR_COPYIN] = { 2, NULL },
	[DIF_SUBR_COPYINSTR] = { 1, NULL },
	[DIF_SUBR_SPECULATION] = { 0, NULL },
	[DIF_SUBR_PROGENYOF] = { 1, NULL },
	[DIF_SUBR_STRLEN] = { 1, NULL },
	[DIF_SUBR_COPYOUT] = { 3, NULL },
	[DIF_SUBR_COPYOUTSTR] = { 3, NULL },
	[DIF_SUBR_ALLOCA] = { 1, NULL },
	[DIF_SUBR_BCOPY] = { 3, NULL },
	[DIF_SUBR_COPYINTO] = { 3, NULL },
	[DIF_SUBR_MSGDSIZE] = { 1, "there are no STREAMS messages" },
	[DIF_SUBR_MSGSIZE] = { 1, "there are no STREAMS messages" },
	[DIF_SUBR_GETMAJOR] = { 1, NULL },
	[DIF_SUBR_GETMINOR] = { 1, NULL },
	[DIF_SUBR_DDI_PATHNAME] = { 2, "there is no device tree" },
	[DIF_SUBR_STRJOIN] = { 2, NULL },
	[DIF_SUBR_LLTOSTR] = { 1, NULL },
	[DIF_SUBR_BASENAME] = { 1, NULL },
	[DIF_SUBR_DIRNAME] = { 1, NULL },
	[DIF_SUBR_CLEANPATH] = { 1, NULL },
	[DIF_SUBR_STRCHR] = { 2, NULL },
	[DIF_SUBR_STRRCHR] = { 2, NULL },
	[DIF_SUBR_STRSTR] = { 2, NULL },
	[DIF_SUBR_STRTOK] = { 2, NULL },
	[DIF_SUBR_SUBSTR] = { 2, NULL },
	[DIF_SUBR_INDEX] = { 2, NULL },
	[DIF_SUBR_RINDEX] = { 2, NULL },
	[DIF_SUBR_HTONS] = { 1, NULL },
	[DIF_SUBR_HTONL] = { 1, NULL },
	[DIF_SUBR_HTONLL] = { 1, NULL },
	[DIF_SUBR_NTOHS] = { 1, NULL },
	[DIF_SUBR_NTOHL] = { 1, NULL },
	[DIF_SUBR_NTOHLL] = { 1, NULL },
	[DIF_SUBR_INET_NTOP] = { 2, NULL },
	[DIF_SUBR_INET_NTOA] = { 1, NULL },
	[DIF_SUBR_INET_NTOA6] = { 1, NULL },
	[DIF_SUBR_TOUPPER] = { 1, NULL },
	[DIF_SUBR_TOLOWER] = { 1, NULL },
	[DIF_SUBR_GETF] = { 1, "files cannot be looked up while a probe fires" },
	[DIF_SUBR_JSON] = { 2, NULL },
	[DIF_SUBR_STRTOLL] = { 1, NULL },
};

const char *dif_subr_refused(uint32_t subr)
{
	return subr > DIF_SUBR_MAX ? "there is no such subroutine" : subrs[subr].why;
}

unsigned int dif_subr_args(uint32_t subr)
{
	return subrs[subr].nargs;
}

uint64_t dif_subr_call(struct firing *f, uint32_t subr)
{
	if (f->ntuple < subrs[subr].nargs) {
		dif_fault(f, DTRACEFLT_ILLOP, 0);
		return 0;
	}
	switch (subr) {
	case DIF_SUBR_RAND:
		return port_random();
	case DIF_SUBR_COPYIN:
		return subr_copyin(f);
	case DIF_SUBR_COPYINSTR:
		return subr_copyinstr(f);
	case DIF_SUBR_COPYINTO:
		return subr_copyinto(f);
	case DIF_SUBR_COPYOUT:
		return subr_copyout(f);
	case DIF_SUBR_COPYOUTSTR:
		return subr_copyoutstr(f);
	case DIF_SUBR_ALLOCA:
		return subr_alloca(f);
	case DIF_SUBR_BCOPY:
		return subr_bcopy(f);
	case DIF_SUBR_SPECULATION:
		return speculation_new(f);
	case DIF_SUBR_PROGENYOF:
		return port_progenyof((uint32_t)arg(f, 0));
	case DIF_SUBR_GETMAJOR:
		return (uint32_t)arg(f, 0) >> 20;
	case DIF_SUBR_GETMINOR:
		return arg(f, 0) & 0xfffff;
	case DIF_SUBR_STRLEN:
		return subr_strlen(f);
	case DIF_SUBR_STRJOIN:
		return subr_strjoin(f);
	case DIF_SUBR_LLTOSTR:
		return subr_lltostr(f);
	case DIF_SUBR_STRTOLL:
		return subr_strtoll(f);
	case DIF_SUBR_BASENAME:
		return subr_basename(f);
	case DIF_SUBR_DIRNAME:
		return subr_dirname(f);
	case DIF_SUBR_CLEANPATH:
		return subr_cleanpath(f);
	case DIF_SUBR_STRCHR:
	case DIF_SUBR_STRRCHR:
		return subr_strchr(f, subr == DIF_SUBR_STRRCHR);
	case DIF_SUBR_STRSTR:
		return subr_strstr(f);
	case DIF_SUBR_STRTOK:
		return subr_strtok(f);
	case DIF_SUBR_SUBSTR:
		return subr_substr(f);
	case DIF_SUBR_INDEX:
	case DIF_SUBR_RINDEX:
		return subr_index(f, subr == DIF_SUBR_RINDEX);
	case DIF_SUBR_HTONS:
	case DIF_SUBR_NTOHS:
		return __builtin_bswap16((uint16_t)arg(f, 0));
	case DIF_SUBR_HTONL:
	case DIF_SUBR_NTOHL:
		return __builtin_bswap32((uint32_t)arg(f, 0));
	case DIF_SUBR_HTONLL:
	case DIF_SUBR_NTOHLL:
		return __builtin_bswap64(arg(f, 0));
	case DIF_SUBR_INET_NTOP:
		return subr_inet_ntop(f);
	case DIF_SUBR_INET_NTOA:
	case DIF_SUBR_INET_NTOA6:
		return subr_inet(f, arg(f, 0), subr == DIF_SUBR_INET_NTOA6);
	case DIF_SUBR_TOUPPER:
		return subr_case(f, 'a', 'z');
	case DIF_SUBR_TOLOWER:
		return subr_case(f, 'A', 'Z');
	case DIF_SUBR_JSON:
		return subr_json(f);
	default:
		dif_fault(f, DTRACEFLT_ILLOP, 0);
		return 0;
	}
}
