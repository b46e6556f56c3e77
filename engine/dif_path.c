/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* dif_path.c - subroutines on paths: their parts, and the paths of files that are open. */
#include "dif_subr.h"

/* Return the length without slashes at the end; 0: the path is empty or has only slashes. */
static size_t subr_trim(const struct str *s, size_t n)
{
	while (n && s->p[n - 1] == '/')
		n--;
	return n;
}

/* Return where the last part of a path begins. */
static size_t subr_last_part(const struct str *s, size_t n)
{
	while (n && s->p[n - 1] != '/')
		n--;
	return n;
}

uint64_t subr_basename(struct mstate *m)
{
	struct str s;
	size_t end, start;

	if (!arg_string(m, 0, &s) || !dif_charge_scan(m, s.n))
		return 0;
	end = subr_trim(&s, s.n);
	if (!end)
		return subr_put(m, s.n ? "/" : ".", 1);
	start = subr_last_part(&s, end);
	return subr_put(m, s.p + start, end - start);
}

uint64_t subr_dirname(struct mstate *m)
{
	struct str s;
	size_t end;

	if (!arg_string(m, 0, &s) || !dif_charge_scan(m, s.n))
		return 0;
	end = subr_last_part(&s, subr_trim(&s, s.n));
	if (!end)
		return subr_put(m, s.n && s.p[0] == '/' ? "/" : ".", 1);
	end = subr_trim(&s, end);
	return end ? subr_put(m, s.p, end) : subr_put(m, "/", 1);
}

/* Return whether the rest of a path begins with "../" or is "..". */
static bool subr_is_up(const char *p, size_t n)
{
	return n >= 2 && p[0] == '.' && p[1] == '.' && (n == 2 || p[2] == '/');
}

/* Return the length of out without its last part and the slash before it. */
static size_t subr_path_up(const char *out, size_t n)
{
	while (n && out[--n] != '/')
		;
	return n;
}

/*
 * Clean the beginning of p, which is a slash; n bytes are left. *len is the length of out. Return
 * how many bytes have been handled.
 */
static size_t subr_clean_slash(const char *p, size_t n, char *out, size_t *len)
{
	if (n >= 2 && p[1] == '/')
		return 1;
	if (n >= 3 && p[1] == '.' && p[2] == '/')
		return 2;
	if (!subr_is_up(p + 1, n - 1)) {
		out[(*len)++] = '/';
		return 1;
	}
	if (!*len)
		out[0] = '/';
	*len = subr_path_up(out, *len);
	if (n == 3)
		(*len)++; /* of what is above, the slash stays at the end */
	return 3;
}

/*
 * Clean a path of empty parts, of ".", and of ".." as far as a slash is before them. The file
 * system is not asked, so that symbolic links may make the result another path.
 */
uint64_t subr_cleanpath(struct mstate *m)
{
	size_t n = 0, i = 0;
	struct str s;
	char *out;

	if (!arg_string(m, 0, &s) || !dif_charge_scan(m, s.n))
		return 0;
	out = mem_alloc(m, s.n + 2);
	if (!out)
		return 0;
	while (i < s.n) {
		if (s.p[i] == '/')
			i += subr_clean_slash(s.p + i, s.n - i, out, &n);
		else
			out[n++] = s.p[i++];
	}
	memset(out + n, 0, s.n + 2 - n);
	return mem_handle(m, out);
}

/* ---- files ---- */

#define SUBR_PATH_MAX  4096
#define SUBR_PATH_WORK 2048 /* units of work to go up a path */

/* Return the path of a struct path of the kernel, as the current process sees it. */
uint64_t subr_d_path(struct mstate *m)
{
	uint8_t *top = m->scratch_top;
	char *buf;
	int n;

	if (!mem_kernel_allowed(m, arg(m, 0)) || !dif_charge(m, SUBR_PATH_WORK))
		return 0;
	buf = mem_alloc(m, SUBR_PATH_MAX);
	if (!buf)
		return 0;
	n = target_d_path(buf, SUBR_PATH_MAX, arg(m, 0));
	m->scratch_top = top;
	if (n < 0) {
		dif_fault(m, DTRACEFLT_BADADDR, arg(m, 0));
		return 0;
	}
	return subr_put(m, buf, (size_t)n);
}

/* Return the struct file of a descriptor of the current process; 0: it is not open. */
uint64_t subr_getf(struct mstate *m)
{
	return mem_kernel_allowed(m, 0) ? target_getf((uint32_t)arg(m, 0)) : 0;
}
