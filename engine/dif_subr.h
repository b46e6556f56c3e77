/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * dif_subr.h - common parts of the files of subroutines: arguments, results, and the subroutines
 * that have files of their own. All functions are for probe context. They return 0 after a fault is
 * noted.
 */
#ifndef DTRACE_DIF_SUBR_H
#define DTRACE_DIF_SUBR_H

#include "dif_mem.h"
#include "fire.h"

/* arg - return the n-th argument, from 0 on. The caller knows that it was pushed. */
static inline uint64_t arg(const struct mstate *m, unsigned int n)
{
	core_assert(n < m->ntuple && m->ntuple <= DIF_DTR_NREGS);
	return m->tuple[n].value;
}

/*
 * arg_string - find the n-th argument as a string of less than strsize bytes. False after a fault.
 */
static inline bool arg_string(struct mstate *m, unsigned int n, struct str *s)
{
	return mem_string(m, arg(m, n), m->strsize - 1, s);
}

/* subr_put - copy a string to scratch, cut to strsize. Return its address. */
static inline uint64_t subr_put(struct mstate *m, const char *p, size_t n)
{
	size_t max = m->strsize - 1;

	return mem_put(m, p, n < max ? n : max);
}

/* subr_parse - return the number with which a string begins, in a base of 2 to 36. */
int64_t subr_parse(const struct str *s, uint64_t base);

/*
 * The subroutines below take their arguments from m by arg(), and return their value. After a fault
 * they return 0. Probe context.
 */

/* ---- dif_path.c ---- */

/* subr_basename - return the last part of a path, as a string in scratch. */
uint64_t subr_basename(struct mstate *m);
/* subr_dirname - return a path without its last part, as a string in scratch. */
uint64_t subr_dirname(struct mstate *m);
/* subr_cleanpath - return a path without "." ".." and double slashes, as a string in scratch. */
uint64_t subr_cleanpath(struct mstate *m);
/* subr_d_path - return the path of a struct path of the kernel, as a string in scratch. */
uint64_t subr_d_path(struct mstate *m);
/* subr_getf - return the address of the struct file of a descriptor. */
uint64_t subr_getf(struct mstate *m);

/* ---- dif_net.c ---- */

/* subr_inet_ntoa - return an IPv4 address as text in scratch. */
uint64_t subr_inet_ntoa(struct mstate *m);
/* subr_inet_ntoa6 - return an IPv6 address as text in scratch. */
uint64_t subr_inet_ntoa6(struct mstate *m);
/* subr_inet_ntop - return an address of the given family as text in scratch. */
uint64_t subr_inet_ntop(struct mstate *m);
/* subr_link_ntop - return a link-layer address of the given type as text in scratch. */
uint64_t subr_link_ntop(struct mstate *m);

/* ---- dif_json.c ---- */

/*
 * subr_json - return the element of a JSON text that a selector names, as a string in scratch. 0:
 * there is none.
 */
uint64_t subr_json(struct mstate *m);

/* ---- dif_lock.c ---- */

/* subr_lock - run one of the seven subroutines that read the state of a lock of the kernel. */
uint64_t subr_lock(struct mstate *m, uint32_t subr);

#endif
