// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * lock.c - the state of locks of the kernel, in probe context. The locks are read, never taken.
 */
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>

#include "target.h"

#define LOCK_GET(to, addr) (target_load_kernel(&(to), (uintptr_t)(addr), sizeof(to)) == 0)

#ifdef CONFIG_PREEMPT_RT

static void lock_mutex(struct target_lock *l, struct mutex *m)
{
	l->owner = (uintptr_t)m->rtmutex.owner & ~1UL; /* the bit means that threads wait */
	l->written = l->owner != 0;
}

static bool lock_spin(spinlock_t *s)
{
	return ((uintptr_t)s->lock.owner & ~1UL) != 0;
}

static void lock_rwbase(struct target_lock *l, struct rwbase_rt *rw)
{
	int n = atomic_read(&rw->readers);

	l->written = n == WRITER_BIAS;
	l->read = n != READER_BIAS && !l->written;
	l->writer_waits = n >= 0 && l->read; /* a writer has taken the bias off */
}

static void lock_rwsem(struct target_lock *l, struct rw_semaphore *s)
{
	lock_rwbase(l, &s->rwbase);
}

static void lock_rwlock(struct target_lock *l, rwlock_t *s)
{
	lock_rwbase(l, &s->rwbase);
}

#else

#define LOCK_MUTEX_FLAGS 7UL /* of the word that names a mutex's owner */
#define LOCK_SEM_WRITER	 1L  /* bits of the count of a struct rw_semaphore */
#define LOCK_SEM_WAITERS 2L
#define LOCK_SEM_READERS (~0xffL)

static void lock_mutex(struct target_lock *l, struct mutex *m)
{
	l->owner = atomic_long_read(&m->owner) & ~LOCK_MUTEX_FLAGS;
	l->written = l->owner != 0;
}

static bool lock_spin(spinlock_t *s)
{
	return raw_spin_is_locked(&s->rlock);
}

/*
 * Readers wait behind a writer only. So if readers have the lock and others wait, a writer waits.
 */
static void lock_rwsem(struct target_lock *l, struct rw_semaphore *s)
{
	long count = atomic_long_read(&s->count);

	l->written = count & LOCK_SEM_WRITER;
	l->read = !l->written && (count & LOCK_SEM_READERS);
	l->writer_waits = l->read && (count & LOCK_SEM_WAITERS);
}

#ifdef CONFIG_QUEUED_RWLOCKS
static void lock_rwlock(struct target_lock *l, rwlock_t *s)
{
	int n = atomic_read(&s->raw_lock.cnts);

	l->written = n & _QW_LOCKED;
	l->read = n & ~_QW_WMASK;
	l->writer_waits = n & _QW_WAITING;
}
#else
static void lock_rwlock(struct target_lock *l, rwlock_t *s)
{
	l->written = rwlock_is_locked(s); /* the lock shows no more */
}
#endif

#endif

int target_lock(struct target_lock *l, enum target_lock_kind kind, uint64_t addr)
{
	union {
		struct mutex mutex;
		spinlock_t spin;
		struct rw_semaphore sem;
		rwlock_t rw;
	} copy;

	memset(l, 0, sizeof(*l));
	switch (kind) {
	case TARGET_LOCK_MUTEX:
		if (!LOCK_GET(copy.mutex, addr))
			return -EFAULT;
		lock_mutex(l, &copy.mutex);
		return 0;
	case TARGET_LOCK_SPIN:
		if (!LOCK_GET(copy.spin, addr))
			return -EFAULT;
		l->written = lock_spin(&copy.spin);
		return 0;
	case TARGET_LOCK_RWSEM:
		if (!LOCK_GET(copy.sem, addr))
			return -EFAULT;
		lock_rwsem(l, &copy.sem);
		return 0;
	default:
		if (!LOCK_GET(copy.rw, addr))
			return -EFAULT;
		lock_rwlock(l, &copy.rw);
		return 0;
	}
}
