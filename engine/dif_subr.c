/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * dif_subr.c - subroutines: CALL with the tuple stack as arguments.
 *
 * Strings are at most strsize bytes with their NUL; longer strings are cut. Results that are
 * strings lie in scratch; pointers into an argument (strchr, strstr ...) are addresses in that
 * argument.
 */
#include "dif_subr.h"
#include "speculation.h"

#define SUBR_WORK      16   /* units that a subroutine takes at least */
#define SUBR_BATCH     256  /* units of comparing, that are charged at once */
#define SUBR_ANCESTORS 4096 /* that progenyof() takes: there may be as many */

/* ---- memory ---- */

/* Programs end text that they copy with a NUL of their own, so there is a byte more, which is 0. */
static uint64_t subr_copyin(struct mstate *m)
{
	uint64_t n = arg(m, 1), end = n < DTRACE_SCRATCHSIZE;
	uint8_t *p = mem_alloc(m, n + end);

	if (!p || (n && !mem_load_user(m, p, arg(m, 0), n)))
		return 0;
	if (end)
		p[n] = '\0';
	return mem_handle(m, p);
}

static uint64_t subr_copyinto(struct mstate *m)
{
	uint64_t n = arg(m, 1);
	uint8_t *p = mem_writable(m, arg(m, 2), n);

	if (p && n)
		mem_load_user(m, p, arg(m, 0), n);
	return 0;
}

static uint64_t subr_copyinstr(struct mstate *m)
{
	uint64_t max = m->strsize - 1;
	struct str s;

	if (m->ntuple > 1 && arg(m, 1) < max)
		max = arg(m, 1);
	return mem_string_user(m, arg(m, 0), max, &s) ? mem_handle(m, s.p) : 0;
}

/* Store n bytes in the memory of the current process, if the session may change it. */
static void subr_store_user(struct mstate *m, uint64_t addr, const void *p, size_t n)
{
	if (mem_user_destructible(m, addr) && target_store_user(addr, p, n) != 0)
		dif_fault(m, DTRACEFLT_BADADDR, addr);
}

static uint64_t subr_copyout(struct mstate *m)
{
	uint8_t *top = m->scratch_top;
	uint64_t n = arg(m, 2);
	void *p = mem_alloc(m, n);

	if (p && n && mem_load(m, p, arg(m, 0), n))
		subr_store_user(m, arg(m, 1), p, n);
	m->scratch_top = top;
	return 0;
}

/*
 * Copy a string to the current process: at most as many bytes as the third argument says, and
 * always with a NUL.
 */
static uint64_t subr_copyoutstr(struct mstate *m)
{
	uint64_t max = arg(m, 2);
	uint8_t *top = m->scratch_top;
	struct str s;
	char *p;

	if (max && arg_string(m, 0, &s)) {
		s.n = s.n < max - 1 ? s.n : max - 1;
		p = mem_put_string(m, s.p, s.n);
		if (p)
			subr_store_user(m, arg(m, 1), p, s.n + 1);
	}
	m->scratch_top = top;
	return 0;
}

static uint64_t subr_alloca(struct mstate *m)
{
	void *p = mem_alloc(m, arg(m, 0));

	if (p)
		memset(p, 0, arg(m, 0));
	return mem_handle(m, p);
}

static uint64_t subr_bcopy(struct mstate *m)
{
	uint64_t n = arg(m, 2);
	uint8_t *p = mem_writable(m, arg(m, 1), n);

	if (p && n)
		mem_load(m, p, arg(m, 0), n);
	return 0;
}

/* Make a pair of the address and the length of memory, as printm() takes them. */
static uint64_t subr_memref(struct mstate *m)
{
	uint64_t *ref = mem_alloc(m, 2 * sizeof(*ref));

	if (!ref)
		return 0;
	ref[0] = arg(m, 0);
	ref[1] = arg(m, 1);
	return mem_handle(m, ref);
}

/* Copy memory as a string: each NUL in it becomes the second argument, and one is added. */
static uint64_t subr_memstr(struct mstate *m)
{
	uint64_t n = arg(m, 2) < m->strsize ? arg(m, 2) : m->strsize - 1;
	char *p = mem_alloc(m, n + 1);

	if (!p || !dif_charge_scan(m, n) || (n && !mem_load(m, p, arg(m, 0), n)))
		return 0;
	for (uint64_t i = 0; i < n; i++)
		p[i] = p[i] ? p[i] : (char)arg(m, 1);
	p[n] = '\0';
	return mem_handle(m, p);
}

/* ---- strings ---- */

static uint64_t subr_strlen(struct mstate *m)
{
	uint8_t *top = m->scratch_top;
	struct str s = {0};

	arg_string(m, 0, &s);
	m->scratch_top = top;
	return s.n;
}

static uint64_t subr_strjoin(struct mstate *m)
{
	size_t max = m->strsize - 1;
	struct str a, b;
	char *p;

	if (!arg_string(m, 0, &a) || !arg_string(m, 1, &b))
		return 0;
	b.n = b.n < max - a.n ? b.n : max - a.n;
	p = mem_alloc(m, a.n + b.n + 1);
	if (!p)
		return 0;
	memcpy(p, a.p, a.n);
	memcpy(p + a.n, b.p, b.n);
	p[a.n + b.n] = '\0';
	return mem_handle(m, p);
}

static uint64_t subr_strchr(struct mstate *m, bool last)
{
	char c = (char)arg(m, 1);
	uint64_t found = 0;
	struct str s;

	if (!arg_string(m, 0, &s))
		return 0;
	if (!c)
		return s.addr + s.n;
	if (!dif_charge_scan(m, s.n))
		return 0;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] != c)
			continue;
		found = s.addr + i;
		if (!last)
			break;
	}
	return found;
}

/*
 * Find sub in s: the first position from i on; backward: the last one up to i. Return -1 if there
 * is none, or after a fault. Comparisons are charged every SUBR_BATCH units, since most differ at
 * once.
 */
static int64_t subr_find(struct mstate *m, const struct str *s, const struct str *sub, size_t i,
			 bool backward)
{
	uint64_t work = 0;

	for (;; i += backward ? SIZE_MAX : 1) {
		size_t k = 0, left = i <= s->n ? s->n - i : 0;

		if (i <= s->n && sub->n <= left) {
			while (k < sub->n && s->p[i + k] == sub->p[k])
				k++;
			if (k == sub->n)
				return dif_charge(m, work + k / 2) ? (int64_t)i : -1;
		}
		work += 1 + k / 2;
		if (work >= SUBR_BATCH) {
			if (!dif_charge(m, work))
				return -1;
			work = 0;
		}
		if (backward ? i == 0 : i >= s->n)
			return -1;
	}
}

static uint64_t subr_strstr(struct mstate *m)
{
	struct str s, sub;
	int64_t i;

	if (!arg_string(m, 0, &s) || !arg_string(m, 1, &sub))
		return 0;
	i = subr_find(m, &s, &sub, 0, false);
	return i < 0 ? 0 : s.addr + (uint64_t)i;
}

static uint64_t subr_index(struct mstate *m, bool last)
{
	uint8_t *top = m->scratch_top;
	int64_t from, found = -1;
	struct str s, sub;

	if (arg_string(m, 0, &s) && arg_string(m, 1, &sub)) {
		from = m->ntuple > 2 ? (int64_t)arg(m, 2) : last ? (int64_t)s.n : 0;
		if (from > (int64_t)s.n)
			from = last || !sub.n ? (int64_t)s.n : -1;
		else if (from < 0)
			from = last && sub.n ? -1 : 0;
		if (from >= 0)
			found = subr_find(m, &s, &sub, port_nospec((size_t)from, s.n + 1), last);
	}
	m->scratch_top = top;
	return (uint64_t)found;
}

/*
 * Find out where a part of a string of len bytes begins and ends. A negative start counts from the
 * end; those of the n bytes that lie before the string are lost. A negative n leaves so many bytes
 * off the end.
 */
static void subr_range(int64_t len, int64_t start, int64_t n, size_t *from, size_t *to)
{
	*from = *to = 0;
	if (start < 0) {
		start += len;
		if (start < 0 && n > -start) {
			n += start;
			start = 0;
		}
	}
	if (start < 0 || start >= len)
		return;
	start = (int64_t)port_nospec((uint64_t)start, (uint64_t)len);
	if (n < 0)
		n = n < start - len ? 0 : n + len - start;
	*from = (size_t)start;
	*to = (size_t)(n < len - start ? start + n : len);
}

/*
 * Return an argument that counts bytes, limited to DIF_MAX_VALUE either way, since no string is
 * longer.
 */
static int64_t subr_count(const struct mstate *m, unsigned int n)
{
	int64_t v = (int64_t)arg(m, n), max = DIF_MAX_VALUE;

	return v < -max ? -max : v > max ? max : v;
}

/*
 * Return how many bytes of a string must be read for n of them from start on. Only the result is
 * cut to strsize. A position that counts from the end needs the whole string, as far as there is
 * scratch for it.
 */
static size_t subr_substr_source(const struct mstate *m, int64_t start, int64_t n)
{
	size_t max = DTRACE_STRSIZE_MAX - 1, least = m->strsize - 1;
	size_t left = (size_t)(m->scratch_end - m->scratch_top) / 2;

	if (start >= 0 && n >= 0 && (size_t)start < max)
		max = (size_t)start + ((size_t)n < least ? (size_t)n : least);
	if (max > left)
		max = left;
	return max < least ? least : max;
}

static uint64_t subr_substr(struct mstate *m)
{
	int64_t start = subr_count(m, 1);
	int64_t n = m->ntuple > 2 ? subr_count(m, 2) : 2 * (int64_t)DIF_MAX_VALUE;
	size_t from, to;
	struct str s;

	if (!mem_string(m, arg(m, 0), subr_substr_source(m, start, n), &s))
		return 0;
	subr_range((int64_t)s.n, start, n, &from, &to);
	return subr_put(m, s.p + from, to - from);
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

/*
 * Find the string from which words are taken. A given string is copied to memory that lives as long
 * as the firing, since the session's clauses of one probe share it. Return false if there is none,
 * or after a fault.
 */
static bool subr_strtok_rest(struct mstate *m, struct str *s)
{
	struct strtok *t = m->strtok;

	if (!arg(m, 0)) {
		s->p = t->text + t->from;
		s->n = t->number == strtok_number(m) ? t->end - t->from : 0;
		return s->n;
	}
	t->number = 0;
	if (!arg_string(m, 0, s) || !dif_charge_bytes(m, s->n))
		return false;
	memcpy(t->text, s->p, s->n);
	t->number = strtok_number(m);
	t->from = 0;
	t->end = (uint32_t)s->n;
	s->p = t->text;
	return true;
}

/*
 * Return the next word. The rest of the string begins with the character that has ended the word.
 */
static uint64_t subr_strtok(struct mstate *m)
{
	uint64_t set[4] = {0};
	struct str s, delim;
	size_t i = 0, start;

	if (!subr_strtok_rest(m, &s) || !arg_string(m, 1, &delim) ||
	    !dif_charge_scan(m, s.n + delim.n))
		return 0;
	subr_set_add(set, &delim);
	while (i < s.n && subr_set_has(set, s.p[i]))
		i++;
	start = i;
	while (i < s.n && !subr_set_has(set, s.p[i]))
		i++;
	m->strtok->from += (uint32_t)i;
	return start < s.n ? subr_put(m, s.p + start, i - start) : 0;
}

static uint64_t subr_case(struct mstate *m, char first, char last)
{
	struct str s;
	char *p;

	if (!arg_string(m, 0, &s))
		return 0;
	p = dif_charge_scan(m, s.n) ? mem_put_string(m, s.p, s.n) : NULL;
	for (char *c = p; c && *c; c++)
		if (*c >= first && *c <= last)
			*c ^= 0x20;
	return mem_handle(m, p);
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

/*
 * Find the base that an optional argument gives, 2 to 36; without it, 10. Return false after a
 * fault.
 */
static bool subr_base(struct mstate *m, unsigned int n, uint64_t *base)
{
	*base = m->ntuple > n ? arg(m, n) : 10;
	if (*base >= 2 && *base <= 36)
		return true;
	dif_fault(m, DTRACEFLT_ILLOP, 0);
	return false;
}

/*
 * Write a number. Decimal numbers are signed, others are not; octal and hexadecimal ones have their
 * prefix.
 */
static uint64_t subr_lltostr(struct mstate *m)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	uint64_t base, n = arg(m, 0);
	bool minus = false;
	char buf[72];
	size_t at = sizeof(buf);

	if (!subr_base(m, 1, &base) || !dif_charge(m, 4 * sizeof(buf)))
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
	return subr_put(m, buf + at, sizeof(buf) - at);
}

int64_t subr_parse(const struct str *s, uint64_t base)
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

static uint64_t subr_strtoll(struct mstate *m)
{
	uint8_t *top = m->scratch_top;
	uint64_t base, value = 0;
	struct str s;

	if (subr_base(m, 1, &base) && arg_string(m, 0, &s) && dif_charge_scan(m, 2 * s.n))
		value = (uint64_t)subr_parse(&s, base);
	m->scratch_top = top;
	return value;
}

/* ---- the table ---- */

static const struct {
	uint8_t nargs;
	const char *why; /* it is refused */
} subrs[DIF_SUBR_MAX + 1] = {
	[DIF_SUBR_RAND] = {0, NULL},
	[DIF_SUBR_MUTEX_OWNED] = {1, NULL},
	[DIF_SUBR_MUTEX_OWNER] = {1, NULL},
	[DIF_SUBR_MUTEX_TYPE_ADAPTIVE] = {1, NULL},
	[DIF_SUBR_MUTEX_TYPE_SPIN] = {1, NULL},
	[DIF_SUBR_RW_READ_HELD] = {1, NULL},
	[DIF_SUBR_RW_WRITE_HELD] = {1, NULL},
	[DIF_SUBR_RW_ISWRITER] = {1, NULL},
	[DIF_SUBR_COPYIN] = {2, NULL},
	[DIF_SUBR_COPYINSTR] = {1, NULL},
	[DIF_SUBR_SPECULATION] = {0, NULL},
	[DIF_SUBR_PROGENYOF] = {1, NULL},
	[DIF_SUBR_STRLEN] = {1, NULL},
	[DIF_SUBR_COPYOUT] = {3, NULL},
	[DIF_SUBR_COPYOUTSTR] = {3, NULL},
	[DIF_SUBR_ALLOCA] = {1, NULL},
	[DIF_SUBR_BCOPY] = {3, NULL},
	[DIF_SUBR_COPYINTO] = {3, NULL},
	[DIF_SUBR_MSGDSIZE] = {1, "there are no STREAMS messages"},
	[DIF_SUBR_MSGSIZE] = {1, "there are no STREAMS messages"},
	[DIF_SUBR_GETMAJOR] = {1, NULL},
	[DIF_SUBR_GETMINOR] = {1, NULL},
	[DIF_SUBR_DDI_PATHNAME] = {2, "there is no device tree"},
	[DIF_SUBR_STRJOIN] = {2, NULL},
	[DIF_SUBR_LLTOSTR] = {1, NULL},
	[DIF_SUBR_BASENAME] = {1, NULL},
	[DIF_SUBR_DIRNAME] = {1, NULL},
	[DIF_SUBR_CLEANPATH] = {1, NULL},
	[DIF_SUBR_STRCHR] = {2, NULL},
	[DIF_SUBR_STRRCHR] = {2, NULL},
	[DIF_SUBR_STRSTR] = {2, NULL},
	[DIF_SUBR_STRTOK] = {2, NULL},
	[DIF_SUBR_SUBSTR] = {2, NULL},
	[DIF_SUBR_INDEX] = {2, NULL},
	[DIF_SUBR_RINDEX] = {2, NULL},
	[DIF_SUBR_HTONS] = {1, NULL},
	[DIF_SUBR_HTONL] = {1, NULL},
	[DIF_SUBR_HTONLL] = {1, NULL},
	[DIF_SUBR_NTOHS] = {1, NULL},
	[DIF_SUBR_NTOHL] = {1, NULL},
	[DIF_SUBR_NTOHLL] = {1, NULL},
	[DIF_SUBR_INET_NTOP] = {2, NULL},
	[DIF_SUBR_INET_NTOA] = {1, NULL},
	[DIF_SUBR_INET_NTOA6] = {1, NULL},
	[DIF_SUBR_TOUPPER] = {1, NULL},
	[DIF_SUBR_TOLOWER] = {1, NULL},
	[DIF_SUBR_GETF] = {1, NULL},
	[DIF_SUBR_JSON] = {2, NULL},
	[DIF_SUBR_STRTOLL] = {1, NULL},
	[DIF_SUBR_D_PATH] = {1, NULL},
	[DIF_SUBR_LINK_NTOP] = {2, NULL},
	[DIF_SUBR_MEMREF] = {2, NULL},
	[DIF_SUBR_MEMSTR] = {3, NULL},
};

const char *dif_subr_refused(uint32_t subr)
{
	return subr > DIF_SUBR_MAX ? "there is no such subroutine" : subrs[subr].why;
}

unsigned int dif_subr_args(uint32_t subr)
{
	return subrs[subr].nargs;
}

uint64_t dif_subr_call(struct mstate *m, uint32_t subr)
{
	if (m->ntuple < subrs[subr].nargs) {
		dif_fault(m, DTRACEFLT_ILLOP, 0);
		return 0;
	}
	if (!dif_charge(m, SUBR_WORK))
		return 0;
	switch (subr) {
	case DIF_SUBR_RAND:
		return port_random();
	case DIF_SUBR_COPYIN:
		return subr_copyin(m);
	case DIF_SUBR_COPYINSTR:
		return subr_copyinstr(m);
	case DIF_SUBR_COPYINTO:
		return subr_copyinto(m);
	case DIF_SUBR_COPYOUT:
		return subr_copyout(m);
	case DIF_SUBR_COPYOUTSTR:
		return subr_copyoutstr(m);
	case DIF_SUBR_ALLOCA:
		return subr_alloca(m);
	case DIF_SUBR_BCOPY:
		return subr_bcopy(m);
	case DIF_SUBR_SPECULATION:
		return speculation_new(m);
	case DIF_SUBR_PROGENYOF:
		return mstate_sees_process(m) && dif_charge(m, SUBR_ANCESTORS) &&
		       target_progenyof(m->state->cred.pid_ns, (uint32_t)arg(m, 0));
	case DIF_SUBR_GETMAJOR:
		return (uint32_t)arg(m, 0) >> 20;
	case DIF_SUBR_GETMINOR:
		return arg(m, 0) & 0xfffff;
	case DIF_SUBR_STRLEN:
		return subr_strlen(m);
	case DIF_SUBR_STRJOIN:
		return subr_strjoin(m);
	case DIF_SUBR_LLTOSTR:
		return subr_lltostr(m);
	case DIF_SUBR_STRTOLL:
		return subr_strtoll(m);
	case DIF_SUBR_BASENAME:
		return subr_basename(m);
	case DIF_SUBR_DIRNAME:
		return subr_dirname(m);
	case DIF_SUBR_CLEANPATH:
		return subr_cleanpath(m);
	case DIF_SUBR_STRCHR:
	case DIF_SUBR_STRRCHR:
		return subr_strchr(m, subr == DIF_SUBR_STRRCHR);
	case DIF_SUBR_STRSTR:
		return subr_strstr(m);
	case DIF_SUBR_STRTOK:
		return subr_strtok(m);
	case DIF_SUBR_SUBSTR:
		return subr_substr(m);
	case DIF_SUBR_INDEX:
	case DIF_SUBR_RINDEX:
		return subr_index(m, subr == DIF_SUBR_RINDEX);
	case DIF_SUBR_HTONS:
	case DIF_SUBR_NTOHS:
		return __builtin_bswap16((uint16_t)arg(m, 0));
	case DIF_SUBR_HTONL:
	case DIF_SUBR_NTOHL:
		return __builtin_bswap32((uint32_t)arg(m, 0));
	case DIF_SUBR_HTONLL:
	case DIF_SUBR_NTOHLL:
		return __builtin_bswap64(arg(m, 0));
	case DIF_SUBR_INET_NTOP:
		return subr_inet_ntop(m);
	case DIF_SUBR_INET_NTOA:
		return subr_inet_ntoa(m);
	case DIF_SUBR_INET_NTOA6:
		return subr_inet_ntoa6(m);
	case DIF_SUBR_TOUPPER:
		return subr_case(m, 'a', 'z');
	case DIF_SUBR_TOLOWER:
		return subr_case(m, 'A', 'Z');
	case DIF_SUBR_JSON:
		return subr_json(m);
	case DIF_SUBR_D_PATH:
		return subr_d_path(m);
	case DIF_SUBR_GETF:
		return subr_getf(m);
	case DIF_SUBR_LINK_NTOP:
		return subr_link_ntop(m);
	case DIF_SUBR_MEMREF:
		return subr_memref(m);
	case DIF_SUBR_MEMSTR:
		return subr_memstr(m);
	case DIF_SUBR_MUTEX_OWNED:
	case DIF_SUBR_MUTEX_OWNER:
	case DIF_SUBR_MUTEX_TYPE_ADAPTIVE:
	case DIF_SUBR_MUTEX_TYPE_SPIN:
	case DIF_SUBR_RW_READ_HELD:
	case DIF_SUBR_RW_WRITE_HELD:
	case DIF_SUBR_RW_ISWRITER:
		return subr_lock(m, subr);
	default:
		dif_fault(m, DTRACEFLT_ILLOP, 0);
		return 0;
	}
}
