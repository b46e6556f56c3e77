/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * dif_lock.c - subroutines that read the state of a lock of the kernel, and its owner.
 *
 * The compiler passes the kind of lock as the second argument where it knows the type; else
 * mutex_*() mean a struct mutex and rw_*() a struct rw_semaphore.
 */
#include "dif_subr.h"

static bool lock_is_rw(uint32_t subr)
{
	return subr == DIF_SUBR_RW_READ_HELD || subr == DIF_SUBR_RW_WRITE_HELD ||
	       subr == DIF_SUBR_RW_ISWRITER;
}

static enum target_lock_kind lock_kind(const struct mstate *m, uint32_t subr)
{
	bool spins = m->ntuple > 1 && arg(m, 1) == DIF_LOCK_SPIN;

	if (lock_is_rw(subr))
		return spins ? TARGET_LOCK_RWLOCK : TARGET_LOCK_RWSEM;
	return spins ? TARGET_LOCK_SPIN : TARGET_LOCK_MUTEX;
}

uint64_t subr_lock(struct mstate *m, uint32_t subr)
{
	enum target_lock_kind kind = lock_kind(m, subr);
	struct target_lock l;

	if (!mem_kernel_allowed(m, arg(m, 0)))
		return 0;
	if (target_lock(&l, kind, arg(m, 0)) != 0) {
		dif_fault(m, DTRACEFLT_BADADDR, arg(m, 0));
		return 0;
	}
	switch (subr) {
	case DIF_SUBR_MUTEX_OWNED: /* spin locks do not record their owner */
		return kind == TARGET_LOCK_SPIN ? l.written
						: l.owner && l.owner == mstate_thread(m)->thread;
	case DIF_SUBR_MUTEX_OWNER:
		return l.owner;
	case DIF_SUBR_MUTEX_TYPE_ADAPTIVE:
		return kind == TARGET_LOCK_MUTEX;
	case DIF_SUBR_MUTEX_TYPE_SPIN:
		return kind == TARGET_LOCK_SPIN;
	case DIF_SUBR_RW_READ_HELD:
		return l.read;
	case DIF_SUBR_RW_WRITE_HELD:
		return l.written;
	default:
		return l.written || l.writer_waits;
	}
}
