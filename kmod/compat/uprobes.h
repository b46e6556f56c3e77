/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * uprobes.h - the kernel's uprobes in one shape for all releases.
 *
 * A uprobe consumer's callbacks are declared with COMPAT_UPROBE_HANDLER(name, consumer, regs) and
 * COMPAT_UPROBE_FILTER(name, consumer, mm). Registration is kept in a struct compat_uprobe.
 */
#ifndef DTRACE_COMPAT_UPROBES_H
#define DTRACE_COMPAT_UPROBES_H

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/uprobes.h>

/* 6.13 gave handlers a word to pass on to the handler of the return. */
#ifdef COMPAT_UPROBE_HANDLER_DATA
#define COMPAT_UPROBE_HANDLER(name, uc, regs) \
	int name(struct uprobe_consumer *uc, struct pt_regs *regs, __u64 *compat_data)
#else
#define COMPAT_UPROBE_HANDLER(name, uc, regs) \
	int name(struct uprobe_consumer *uc, struct pt_regs *regs)
#endif

/* 6.12 dropped the reason from the filter's arguments. */
#ifdef COMPAT_UPROBE_FILTER_CONTEXT
#define COMPAT_UPROBE_FILTER(name, uc, mm)                                           \
	bool name(struct uprobe_consumer *uc, enum uprobe_filter_ctx compat_context, \
		  struct mm_struct *mm)
#else
#define COMPAT_UPROBE_FILTER(name, uc, mm) \
	bool name(struct uprobe_consumer *uc, struct mm_struct *mm)
#endif

/*
 * compat_uprobe_is_last - return whether uprobes will call no other uprobe consumer of the location
 * after this one, for its handler. Return false, too, if that is unknown.
 *
 * Handlers are called from the newest uprobe consumer to the oldest. In 6.12 the list became a
 * ring, whose head looks like a uprobe consumer unless there is only one.
 */
static inline bool compat_uprobe_is_last(const struct uprobe_consumer *uc)
{
#ifdef COMPAT_UPROBE_CONSUMER_NODE
	return READ_ONCE(uc->cons_node.next) == READ_ONCE(uc->cons_node.prev);
#else
	return !uc->next; /* the list is locked while handlers run */
#endif
}

/*
 * compat_uprobe_is_alone - return whether the location has no other uprobe consumer, for the
 * handler; a new uprobe consumer is not called for this hit. Return false, too, if that is unknown.
 */
static inline bool compat_uprobe_is_alone(const struct uprobe_consumer *uc)
{
#ifdef COMPAT_UPROBE_CONSUMER_NODE
	return compat_uprobe_is_last(uc); /* new ones come in front of it */
#else
	return false;
#endif
}

struct compat_uprobe {
	struct inode *inode;
	loff_t offset;
	struct uprobe *uprobe; /* where registration returns one */
};

/* 6.12 made registration return an object, and divided the end of it into two halves. */
#ifdef COMPAT_UPROBE_OBJECT

/*
 * compat_uprobe_register - ref: file offset of the semaphore, 0 for none. The file stays the
 * caller's to hold.
 */
static inline int compat_uprobe_register(struct compat_uprobe *u, struct inode *inode,
					 loff_t offset, loff_t ref, struct uprobe_consumer *uc)
{
	struct uprobe *uprobe = uprobe_register(inode, offset, ref, uc);

	if (IS_ERR(uprobe))
		return PTR_ERR(uprobe);
	u->uprobe = uprobe;
	return 0;
}

/*
 * compat_uprobe_unregister - take the breakpoints away. Handlers may still run until
 * compat_uprobe_sync.
 */
static inline void compat_uprobe_unregister(struct compat_uprobe *u, struct uprobe_consumer *uc)
{
	uprobe_unregister_nosync(u->uprobe, uc);
	u->uprobe = NULL;
}

static inline void compat_uprobe_sync(void)
{
	uprobe_unregister_sync();
}

#else

static inline int compat_uprobe_register(struct compat_uprobe *u, struct inode *inode,
					 loff_t offset, loff_t ref, struct uprobe_consumer *uc)
{
	int error = uprobe_register_refctr(inode, offset, ref, uc);

	u->inode = inode;
	u->offset = offset;
	return error;
}

static inline void compat_uprobe_unregister(struct compat_uprobe *u, struct uprobe_consumer *uc)
{
	uprobe_unregister(u->inode, u->offset, uc);
}

/* Do nothing: on these kernels, unregistering waits for the handlers. */
static inline void compat_uprobe_sync(void)
{
}

#endif
#endif
