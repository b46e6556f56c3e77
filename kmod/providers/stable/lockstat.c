// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * lockstat.c - the lockstat provider: locks of the kernel are taken, waited for and released.
 *
 * Mutexes are adaptive: a thread spins while the owner runs, else it sleeps. Locks of readers and
 * writers are those whose waiters sleep, rw_semaphore, and those whose waiters spin, rwlock_t. All
 * functions take the lock as their first argument. Handlers take no lock, and read nothing of it:
 * locks that DTrace itself takes while it fires are not reported: see hooks/function.h.
 *
 * On a kernel with lockdep, locks are taken by functions *_nested and *_nest_lock, too; others call
 * these by the usual names. There, the wait for a mutex is inline: a thread has waited if it has
 * slept in the function, and one that has only spun cannot be told from one that has not waited.
 */
#include "stable.h"

/* ---- mutexes and spin locks ---- */

static notrace void lockstat_acquired(const struct stable_trigger *t, struct pt_regs *regs,
				      unsigned long lock)
{
	stable_fire(t, regs, lock);
}

/* Fire if a function has returned 0, and not an error. */
static notrace void lockstat_succeeded(const struct stable_trigger *t, struct pt_regs *regs,
				       unsigned long lock)
{
	if (!(int)regs->ax)
		stable_fire(t, regs, lock);
}

static notrace void lockstat_failed(const struct stable_trigger *t, struct pt_regs *regs,
				    unsigned long lock)
{
	int error = (int)regs->ax;

	if (error < 0)
		stable_fire(t, regs, lock, (uint64_t)-error);
}

/* Fire if a function that does not wait has returned that it has the lock. */
static notrace void lockstat_tried(const struct stable_trigger *t, struct pt_regs *regs,
				   unsigned long lock)
{
	if ((int)regs->ax)
		stable_fire(t, regs, lock);
}

/* Fire at the entry of a function that releases a lock. */
static notrace void lockstat_released(const struct stable_trigger *t, struct pt_regs *regs)
{
	stable_fire(t, regs, regs->di);
}

static notrace void lockstat_waited(const struct stable_trigger *t, struct pt_regs *regs,
				    unsigned long lock, u64 ns, bool slept)
{
	stable_fire(t, regs, lock, ns);
}

/* Fire if a thread has waited for a mutex without sleeping. */
static notrace void lockstat_spun(const struct stable_trigger *t, struct pt_regs *regs,
				  unsigned long lock, u64 ns, bool slept)
{
	if (!slept)
		stable_fire(t, regs, lock, ns);
}

static notrace void lockstat_blocked(const struct stable_trigger *t, struct pt_regs *regs,
				     unsigned long lock, u64 ns, bool slept)
{
	if (slept)
		stable_fire(t, regs, lock, ns);
}

/* ---- locks of readers and writers ---- */

enum { RW_WRITER, RW_READER }; /* as in lockstat.d */

static notrace void lockstat_reader(const struct stable_trigger *t, struct pt_regs *regs,
				    unsigned long lock)
{
	stable_fire(t, regs, lock, RW_READER);
}

static notrace void lockstat_reader_succeeded(const struct stable_trigger *t, struct pt_regs *regs,
					      unsigned long lock)
{
	if (!(int)regs->ax)
		stable_fire(t, regs, lock, RW_READER);
}

static notrace void lockstat_reader_tried(const struct stable_trigger *t, struct pt_regs *regs,
					  unsigned long lock)
{
	if ((int)regs->ax)
		stable_fire(t, regs, lock, RW_READER);
}

static notrace void lockstat_reader_released(const struct stable_trigger *t, struct pt_regs *regs)
{
	stable_fire(t, regs, regs->di, RW_READER);
}

static notrace void lockstat_reader_waited(const struct stable_trigger *t, struct pt_regs *regs,
					   unsigned long lock, u64 ns, bool slept)
{
	stable_fire(t, regs, lock, ns, RW_READER);
}

static notrace void lockstat_writer(const struct stable_trigger *t, struct pt_regs *regs,
				    unsigned long lock)
{
	stable_fire(t, regs, lock, RW_WRITER);
}

static notrace void lockstat_writer_succeeded(const struct stable_trigger *t, struct pt_regs *regs,
					      unsigned long lock)
{
	if (!(int)regs->ax)
		stable_fire(t, regs, lock, RW_WRITER);
}

static notrace void lockstat_writer_tried(const struct stable_trigger *t, struct pt_regs *regs,
					  unsigned long lock)
{
	if ((int)regs->ax)
		stable_fire(t, regs, lock, RW_WRITER);
}

static notrace void lockstat_writer_released(const struct stable_trigger *t, struct pt_regs *regs)
{
	stable_fire(t, regs, regs->di, RW_WRITER);
}

static notrace void lockstat_writer_waited(const struct stable_trigger *t, struct pt_regs *regs,
					   unsigned long lock, u64 ns, bool slept)
{
	stable_fire(t, regs, lock, ns, RW_WRITER);
}

/* ---- tables ---- */

#define MUTEX "struct mutex *"
#define SPIN  "struct raw_spinlock *"

static struct stable_probe lockstat_probes[] = {
	{"adaptive-acquire", {{MUTEX}}},
	{"adaptive-acquire-error", {{MUTEX}, {"int", NULL, 1}}},
	{"adaptive-release", {{MUTEX}}},
	{"adaptive-spin", {{MUTEX}, {"unsigned long", NULL, 1}}},
	{"adaptive-block", {{MUTEX}, {"unsigned long", NULL, 1}}},
	{"spin-acquire", {{SPIN}}},
	{"spin-release", {{SPIN}}},
	{"spin-spin", {{SPIN}, {"unsigned long", NULL, 1}}},
	{"rw-acquire", {{"void *"}, {"int", NULL, 1}}},
	{"rw-release", {{"void *"}, {"int", NULL, 1}}},
	{"rw-block", {{"void *"}, {"unsigned long", NULL, 1}, {"int", NULL, 2}}},
	{"rw-spin", {{"void *"}, {"unsigned long", NULL, 1}, {"int", NULL, 2}}},
	{"rw-downgrade", {{"void *"}}},
};

static struct stable_trigger lockstat_triggers[] = {
	STABLE_RETURNED("adaptive-acquire", "mutex_lock", lockstat_acquired),
	STABLE_RETURNED("adaptive-acquire", "mutex_lock_interruptible", lockstat_succeeded),
	STABLE_RETURNED("adaptive-acquire-error", "mutex_lock_interruptible", lockstat_failed),
	STABLE_RETURNED("adaptive-acquire", "mutex_lock_killable", lockstat_succeeded),
	STABLE_RETURNED("adaptive-acquire-error", "mutex_lock_killable", lockstat_failed),
	STABLE_RETURNED("adaptive-acquire", "mutex_trylock", lockstat_tried),
	STABLE_WAITED("adaptive-block", "mutex_lock_nested", lockstat_blocked),
	STABLE_WAITED("adaptive-block", "_mutex_lock_nest_lock", lockstat_blocked),
	STABLE_WAITED("adaptive-block", "mutex_lock_interruptible_nested", lockstat_blocked),
	STABLE_WAITED("adaptive-block", "mutex_lock_killable_nested", lockstat_blocked),
	STABLE_RETURNED("adaptive-acquire", "mutex_lock_nested", lockstat_acquired),
	STABLE_RETURNED("adaptive-acquire", "_mutex_lock_nest_lock", lockstat_acquired),
	STABLE_RETURNED("adaptive-acquire", "mutex_lock_interruptible_nested", lockstat_succeeded),
	STABLE_RETURNED("adaptive-acquire-error", "mutex_lock_interruptible_nested",
			lockstat_failed),
	STABLE_RETURNED("adaptive-acquire", "mutex_lock_killable_nested", lockstat_succeeded),
	STABLE_RETURNED("adaptive-acquire-error", "mutex_lock_killable_nested", lockstat_failed),
	STABLE_ENTERED("adaptive-release", "mutex_unlock", lockstat_released),
	STABLE_WAITED("adaptive-spin", "__mutex_lock_slowpath", lockstat_spun),
	STABLE_WAITED("adaptive-block", "__mutex_lock_slowpath", lockstat_blocked),
	STABLE_WAITED("adaptive-spin", "__mutex_lock_interruptible_slowpath", lockstat_spun),
	STABLE_WAITED("adaptive-block", "__mutex_lock_interruptible_slowpath", lockstat_blocked),
	STABLE_WAITED("adaptive-spin", "__mutex_lock_killable_slowpath", lockstat_spun),
	STABLE_WAITED("adaptive-block", "__mutex_lock_killable_slowpath", lockstat_blocked),
	STABLE_RETURNED("spin-acquire", "_raw_spin_lock", lockstat_acquired),
	STABLE_RETURNED("spin-acquire", "_raw_spin_lock_bh", lockstat_acquired),
	STABLE_RETURNED("spin-acquire", "_raw_spin_lock_irq", lockstat_acquired),
	STABLE_RETURNED("spin-acquire", "_raw_spin_lock_irqsave", lockstat_acquired),
	STABLE_RETURNED("spin-acquire", "_raw_spin_trylock", lockstat_tried),
	STABLE_RETURNED("spin-acquire", "_raw_spin_trylock_bh", lockstat_tried),
	STABLE_RETURNED("spin-acquire", "_raw_spin_lock_nested", lockstat_acquired),
	STABLE_RETURNED("spin-acquire", "_raw_spin_lock_nest_lock", lockstat_acquired),
	STABLE_RETURNED("spin-acquire", "_raw_spin_lock_irqsave_nested", lockstat_acquired),
	STABLE_ENTERED("spin-release", "_raw_spin_unlock", lockstat_released),
	STABLE_ENTERED("spin-release", "_raw_spin_unlock_bh", lockstat_released),
	STABLE_ENTERED("spin-release", "_raw_spin_unlock_irq", lockstat_released),
	STABLE_ENTERED("spin-release", "_raw_spin_unlock_irqrestore", lockstat_released),
	STABLE_WAITED("spin-spin", "native_queued_spin_lock_slowpath", lockstat_waited),
	STABLE_WAITED("spin-spin", "__pv_queued_spin_lock_slowpath", lockstat_waited),
	STABLE_WAITED("spin-spin", "queued_spin_lock_slowpath", lockstat_waited),
	STABLE_RETURNED("rw-acquire", "down_read", lockstat_reader),
	STABLE_RETURNED("rw-acquire", "down_read_interruptible", lockstat_reader_succeeded),
	STABLE_RETURNED("rw-acquire", "down_read_killable", lockstat_reader_succeeded),
	STABLE_RETURNED("rw-acquire", "down_read_trylock", lockstat_reader_tried),
	STABLE_RETURNED("rw-acquire", "down_read_nested", lockstat_reader),
	STABLE_RETURNED("rw-acquire", "down_read_killable_nested", lockstat_reader_succeeded),
	STABLE_RETURNED("rw-acquire", "_raw_read_lock", lockstat_reader),
	STABLE_RETURNED("rw-acquire", "_raw_read_lock_bh", lockstat_reader),
	STABLE_RETURNED("rw-acquire", "_raw_read_lock_irq", lockstat_reader),
	STABLE_RETURNED("rw-acquire", "_raw_read_lock_irqsave", lockstat_reader),
	STABLE_RETURNED("rw-acquire", "_raw_read_trylock", lockstat_reader_tried),
	STABLE_ENTERED("rw-release", "up_read", lockstat_reader_released),
	STABLE_ENTERED("rw-release", "_raw_read_unlock", lockstat_reader_released),
	STABLE_ENTERED("rw-release", "_raw_read_unlock_bh", lockstat_reader_released),
	STABLE_ENTERED("rw-release", "_raw_read_unlock_irq", lockstat_reader_released),
	STABLE_ENTERED("rw-release", "_raw_read_unlock_irqrestore", lockstat_reader_released),
	STABLE_WAITED("rw-block", "rwsem_down_read_slowpath", lockstat_reader_waited),
	STABLE_WAITED("rw-spin", "queued_read_lock_slowpath", lockstat_reader_waited),
	STABLE_RETURNED("rw-acquire", "down_write", lockstat_writer),
	STABLE_RETURNED("rw-acquire", "down_write_killable", lockstat_writer_succeeded),
	STABLE_RETURNED("rw-acquire", "down_write_trylock", lockstat_writer_tried),
	STABLE_RETURNED("rw-acquire", "down_write_nested", lockstat_writer),
	STABLE_RETURNED("rw-acquire", "_down_write_nest_lock", lockstat_writer),
	STABLE_RETURNED("rw-acquire", "down_write_killable_nested", lockstat_writer_succeeded),
	STABLE_RETURNED("rw-acquire", "_raw_write_lock", lockstat_writer),
	STABLE_RETURNED("rw-acquire", "_raw_write_lock_bh", lockstat_writer),
	STABLE_RETURNED("rw-acquire", "_raw_write_lock_irq", lockstat_writer),
	STABLE_RETURNED("rw-acquire", "_raw_write_lock_irqsave", lockstat_writer),
	STABLE_RETURNED("rw-acquire", "_raw_write_trylock", lockstat_writer_tried),
	STABLE_RETURNED("rw-acquire", "_raw_write_lock_nested", lockstat_writer),
	STABLE_ENTERED("rw-release", "up_write", lockstat_writer_released),
	STABLE_ENTERED("rw-release", "_raw_write_unlock", lockstat_writer_released),
	STABLE_ENTERED("rw-release", "_raw_write_unlock_bh", lockstat_writer_released),
	STABLE_ENTERED("rw-release", "_raw_write_unlock_irq", lockstat_writer_released),
	STABLE_ENTERED("rw-release", "_raw_write_unlock_irqrestore", lockstat_writer_released),
	STABLE_WAITED("rw-block", "rwsem_down_write_slowpath", lockstat_writer_waited),
	STABLE_WAITED("rw-spin", "queued_write_lock_slowpath", lockstat_writer_waited),
	STABLE_ENTERED("rw-downgrade", "downgrade_write", lockstat_released),
};

struct stable_provider lockstat_provider = {
	.name = "lockstat",
	.probes = lockstat_probes,
	.nprobes = ARRAY_SIZE(lockstat_probes),
	.triggers = lockstat_triggers,
	.ntriggers = ARRAY_SIZE(lockstat_triggers),
};
