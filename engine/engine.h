/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * engine.h - the interface of the engine for the module's devices and providers, for the agent and
 * the user world, and for tests.
 *
 * Results are 0 or a negative errno unless a comment says otherwise. All functions may sleep except
 * those whose comment says "any context". Every request of a session returns -EINTR if a fatal
 * signal becomes pending while it waits for another request of the session.
 *
 * Locks. One sleeping lock, the engine lock, protects providers, probes, sessions, enablings and
 * ECBs. The functions here take it themselves. The engine holds it around provider operations
 * marked [L], which must not call a function of this header.
 *
 * The sync lock is taken before the engine lock. The engine calls the operations sync and provide
 * with the sync lock but without the engine lock, one call at a time. They must not call functions
 * marked [S], which take the sync lock. A lock that they take must not be held around a call of a
 * function marked [S]. Others wait for the sync lock, some of them unkillably: a provider does long
 * work in its operation prepare, which is called without any of these locks.
 *
 * A firing takes none of these locks: it reads the probe's list of ECBs. A change publishes a new
 * list, and frees the old one after a grace period (port_grace_period()).
 */
#ifndef DTRACE_ENGINE_H
#define DTRACE_ENGINE_H

#include "port.h"
#include <dtrace/ioctl.h>
#include <dtrace/unwind.h>

typedef struct dtrace_provider dtrace_provider_t;
typedef struct dtrace_probe dtrace_probe_t;
typedef struct dtrace_state dtrace_state_t;
typedef struct dtrace_listing dtrace_listing_t;
struct dtrace_cred;

/*
 * dtrace_engine_init - allocate the memory for firings, and register the engine's own provider,
 * dtrace (BEGIN, END, ERROR). -ENOMEM: nothing is left.
 */
int dtrace_engine_init(void);
/*
 * dtrace_engine_fini - undo dtrace_engine_init(). All providers must be unregistered, all sessions
 * destroyed, and all accounts given back.
 */
void dtrace_engine_fini(void);
/* dtrace_engine_assert_locked - complain if the caller does not hold the engine lock: for [L]. */
void dtrace_engine_assert_locked(void);

/* ---- accounts (account.c): what a user makes the system hold ---- */

/*
 * Resources that are counted for each user over all of the user's sessions, processes and fork
 * children. Each has a limit in dtrace_account_limits, which is a parameter of the module.
 */
enum dtrace_resource {
	DTRACE_RES_SESSIONS, /* open sessions (user_sessions) */
	/*
	 * bytes of sessions: programs, ECBs, buffers, variables, speculations, and the copies that
	 * a request makes while it runs (user_memory)
	 */
	DTRACE_RES_MEMORY,
	DTRACE_RES_REGISTRATIONS, /* of DOF, fork children's too (user_registrations) */
	DTRACE_RES_SITES,	  /* sites of registrations (user_sites) */
	DTRACE_RES_PROBES,	  /* probes of processes, that is, probe ids (user_probes) */
	/*
	 * bytes of registrations: DOF, sites, groups, providers, and the copies that a request
	 * makes while it runs (user_registration_memory)
	 */
	DTRACE_RES_BYTES,
	/* processes with unwind tables, counted for each open file (user_unwound) */
	DTRACE_RES_UNWOUND,
	/* enabled probes at single instructions; each session counts (user_instructions) */
	DTRACE_RES_INSTRUCTIONS,
	/* interrupts a second and CPU by enabled probes; each session counts (user_interrupts) */
	DTRACE_RES_INTERRUPTS,
	DTRACE_RES_STOP_POINTS, /* stop points at addresses (user_stop_points) */
	DTRACE_RES_MAX
};
struct dtrace_account;
/*
 * The most that a user may hold of each resource. dtrace_engine_init() replaces 0 by the default.
 * May be written at any time; holdings above a new limit stay.
 */
extern uint64_t dtrace_account_limits[DTRACE_RES_MAX];
/*
 * The share of a CPU's time, in percent, that firings in interrupts may take from it for one user:
 * see dtrace_fire_timed(). May be written at any time.
 */
extern unsigned int dtrace_account_share;
/*
 * The number of clauses that all sessions of a user may have on one probe, and of their rows:
 * successive clauses of one session. Root, and other users who may pass limits, have no limit of
 * rows; DTRACE_CLAUSES_MAX applies to each of their sessions. May be written at any time.
 */
extern unsigned int dtrace_account_clauses, dtrace_account_rows;
/*
 * dtrace_account_get - return the account of a user, with a reference for the caller; NULL without
 * memory. uid: the user's number in the first user namespace. privileged: the user may pass all
 * limits (CAP_SYS_RESOURCE or CAP_SYS_ADMIN there); such a user has a second account, in which
 * these holdings are counted. Any sleeping lock may be held, here and in the next two functions.
 */
struct dtrace_account *dtrace_account_get(uint32_t uid, bool privileged);
/* dtrace_account_ref - take one more reference; return account. */
struct dtrace_account *dtrace_account_ref(struct dtrace_account *account);
/*
 * dtrace_account_put - give a reference back, after all that was charged with it has been
 * uncharged. account may be NULL.
 */
void dtrace_account_put(struct dtrace_account *account);
/*
 * dtrace_account_charge - add n to the user's holdings of a resource. -EDQUOT: that would pass the
 * limit; nothing was added, and errmsg (len bytes; may be NULL) names the limit and the parameter
 * that raises it. Any context.
 */
int dtrace_account_charge(struct dtrace_account *account, enum dtrace_resource res, uint64_t n,
			  char *errmsg, size_t len);
/*
 * dtrace_account_add - add n to the user's holdings of a resource, even beyond the limit: what the
 * user has used already. Any context.
 */
void dtrace_account_add(struct dtrace_account *account, enum dtrace_resource res, uint64_t n);
/* dtrace_account_uncharge - take n from the user's holdings of a resource. Any context. */
void dtrace_account_uncharge(struct dtrace_account *account, enum dtrace_resource res, uint64_t n);
/*
 * Memory of one request. A user can make a request last, by addresses that are slow to be read or
 * written, so the user is charged while the memory is allocated.
 */
struct dtrace_charged {
	void *p;
	size_t size;
	enum dtrace_resource res;
	struct dtrace_account *account; /* counted */
};
/*
 * dtrace_charged_alloc - allocate size bytes, zeroed, and charge them to the account. -ENOMEM;
 * -EDQUOT with the reason in errmsg (len bytes; may be NULL). On an error *c is all zeros.
 */
int dtrace_charged_alloc(struct dtrace_charged *c, struct dtrace_account *account,
			 enum dtrace_resource res, size_t size, char *errmsg, size_t len);
/* dtrace_charged_free - free and uncharge it. *c may be all zeros. */
void dtrace_charged_free(struct dtrace_charged *c);
/* dtrace_account_uid - return the number of the user. Any context. */
uint32_t dtrace_account_uid(const struct dtrace_account *account);
/* dtrace_account_privileged - return whether the user may pass all limits. Any context. */
bool dtrace_account_privileged(const struct dtrace_account *account);
/* A row of /proc/dtrace/users. */
struct dtrace_accountrow {
	uint32_t uid;
	bool privileged;
	uint64_t used[DTRACE_RES_MAX];
};
/*
 * dtrace_accountrow - describe the account with the lowest number above *after, which is 0 at
 * first, and becomes that number. Return 0; -ESRCH: there is none.
 */
int dtrace_accountrow(uint32_t *after, struct dtrace_accountrow *info);

/* ---- providers and probes (provider.c, probe.c) ---- */

/*
 * An argument of a probe, as the provider declares it: args[n] of a D program. The value comes from
 * struct dtrace_fire. Names of types are those of the kernel and its modules (struct file *, struct
 * mod`tag *) if the provider's priv is DTRACE_PRIV_KERNEL or none; else those of D.
 */
struct dtrace_arg {
	const char *type;    /* C type of the native argument; NULL or empty: unknown */
	const char *xlate;   /* D type to which it is translated; NULL or empty: it is not */
	unsigned int native; /* which argument it is made of: n for argn */
};

/*
 * A firing, as the provider describes it: the values of the arguments, errno, and the interrupted
 * code. All pointers must be valid until dtrace_fire() returns. Zeros are right for members that do
 * not apply.
 */
struct dtrace_fire {
	/*
	 * The first native arguments, as far as they are available at no cost; the operation
	 * getargval gives the others.
	 */
	const uint64_t *args;
	const void *regs;   /* struct pt_regs of the interrupted code, or NULL */
	const void *cookie; /* for getargval; the engine does not look at it */
	/* Small, so that a provider whose values are constants writes them all at once. */
	uint8_t nargs;	     /* values in args */
	uint8_t caller_skip; /* frames of the provider to leave out of stack() */
	bool user : 1;	     /* the interrupted code is user code */
	/*
	 * The probe does not concern the current process: it fires for all sessions, and hides the
	 * data of the current process from the sessions that may not see that process.
	 */
	bool no_process : 1;
	/*
	 * For user code: the function has no frame of its own here, as at its first instruction and
	 * at its return instruction. The return address is at the stack pointer.
	 */
	bool no_frame : 1;
	/*
	 * for kernel code: stack() begins with the caller of the function that is entered or left
	 */
	bool from_caller : 1;
	/*
	 * In user land: the current process is a forked child of the one that has the probe, and is
	 * traced with it. It has no probes of its own.
	 */
	bool child : 1;
	int32_t err; /* errno of the system call that returns here; 0: none, or success */
};

/* The names of an element of a listing, which live as long as the listing. */
struct dtrace_listed {
	const char *mod, *func;
	const char *const *mod_names; /* other names of the module, the last NULL; or NULL */
	bool named; /* only descriptions mean it that have its name, not a pattern, as function */
	uint32_t lacks; /* bit N is set: it has no probe with name number N */
};

/*
 * The operations of a provider. arg is the argument of dtrace_provider_register(), parg that of
 * dtrace_probe_create().
 */
typedef struct dtrace_provider_ops {
	/*
	 * prepare - do what provide may do, as far as that takes long: search the kernel, for
	 * example. Called before provide with the same desc, with no lock of the engine but the
	 * session's, and by several threads at once. It ends soon when a fatal signal is pending,
	 * and waits killably for a lock of its own that is held meanwhile. May be NULL. Return as
	 * provide, or -EINTR, which fails the request: the next one prepares anew.
	 */
	int (*prepare)(void *arg, const dtrace_probedesc_t *desc);
	/*
	 * provide - create the probes that the patterns in desc may name, by dtrace_probe_create().
	 * desc NULL: create the probes that exist without being named. Called before a description
	 * is matched or listed; the sync lock is held. May be NULL. Return 0; -ENOSPC: desc names a
	 * probe, and the provider can make no more; a negative DTRACE_REFUSED_*, the reason why the
	 * named probe cannot be made; or -ENOMEM.
	 */
	int (*provide)(void *arg, const dtrace_probedesc_t *desc);
	/*
	 * enable [L] - let the probe fire: its first ECB has come. An error fails the request, and
	 * the probe stays disabled. -EDQUOT: the user has too many breakpoints in the probe's file.
	 * -ESHUTDOWN: the kernel's ftrace is switched off. May be NULL.
	 */
	int (*enable)(void *arg, dtrace_probe_t *probe, void *parg);
	/* disable [L] - undo enable: the last ECB has gone. May be NULL. */
	void (*disable)(void *arg, dtrace_probe_t *probe, void *parg);
	/*
	 * interrupts [L] - return how many interrupts a second and CPU the probe causes while it is
	 * enabled. Each session that enables it is charged for them. May be NULL: none.
	 */
	uint64_t (*interrupts)(void *arg, dtrace_probe_t *probe, void *parg);
	/*
	 * The system has few such probes. Each session that enables one is charged for it, as
	 * DTRACE_RES_INSTRUCTIONS.
	 */
	bool few;
	/*
	 * bind [L] - let the enabled probe fire on that CPU too until it is disabled, by
	 * dtrace_fire_timed() where it would not fire otherwise: a session that traces that CPU
	 * only (option cpu) begins. May be NULL: the probe fires wherever its event happens.
	 */
	void (*bind)(void *arg, dtrace_probe_t *probe, void *parg, uint32_t cpu);
	/*
	 * begin [L] - a session is about to record firings of the enabled probe, and no other one
	 * does: count the probe's intervals from now. May be NULL.
	 */
	void (*begin)(void *arg, dtrace_probe_t *probe, void *parg);
	/*
	 * sync - carry out what enable and disable noted and could not do with the engine lock
	 * held. Called with the sync lock before the request that enabled probes returns; after
	 * they were disabled, perhaps later by a thread that holds the sync lock at that moment.
	 * May be NULL: then no function waits for the sync lock, which others hold for seconds,
	 * because of this provider's probes.
	 */
	void (*sync)(void *arg);
	/*
	 * getarg [L] - declare args[n]. On entry, out has native n and no types. Its strings must
	 * be valid as long as the probe. Return false if the probe has no such argument. May be
	 * NULL: the probes declare no arguments.
	 */
	bool (*getarg)(void *arg, dtrace_probe_t *probe, void *parg, unsigned int n,
		       struct dtrace_arg *out);
	/*
	 * getargval - return a value that is not in fire->args: if raw, of argN for an argno from
	 * fire->nargs on, else of args[argno]. Probe context. May be NULL: args[n] is argn, and
	 * both are 0 from fire->nargs on.
	 */
	uint64_t (*getargval)(void *arg, dtrace_probe_t *probe, void *parg,
			      const struct dtrace_fire *fire, unsigned int argno, bool raw);
	/*
	 * name_in_ns - write the n-th name of the provider in the PID namespace pid_ns (NULL: the
	 * first one). Name 0 is the provider's own name there. The other names are those of the
	 * ancestors of its process, for sessions that follow forks. Return false if there is no
	 * such name; without name 0, the provider is invisible in that namespace. Any context. May
	 * be NULL: one name in all namespaces.
	 */
	bool (*name_in_ns)(void *arg, const void *pid_ns, unsigned int n,
			   char name[DTRACE_PROVNAMELEN]);
	/*
	 * owned_by [L] - return whether the user of a session owns at this moment what the provider
	 * describes. Other users need DTRACE_PRIV_OWNER to see the provider. May be NULL: the uid
	 * in priv is the owner.
	 */
	bool (*owned_by)(void *arg, const struct dtrace_cred *cred);
	/*
	 * module_alias - return whether name is a second name of the probe's module. May be NULL:
	 * no module has a second name.
	 */
	bool (*module_alias)(void *arg, dtrace_probe_t *probe, void *parg, const char *name);
	/*
	 * name_of_child - write what the provider would be called if process pid had it, a forked
	 * child (dtrace_fire.child). Probe context. May be NULL: the name is the same.
	 */
	void (*name_of_child)(void *arg, uint32_t pid, char name[DTRACE_PROVNAMELEN]);
	/*
	 * listed [L] - write the names of function n of a listing. Return false if there is none of
	 * that number, or if it is a part of another function. NULL: the provider has no listings.
	 */
	bool (*listed)(void *arg, void *larg, uint32_t n, struct dtrace_listed *names);
	/*
	 * make [L] - return parg for a new probe of a listing: function n with name number name.
	 * The probe ends after it has been disabled and sync has run. NULL: no memory.
	 */
	void *(*make)(void *arg, void *larg, uint32_t n, uint32_t name);
	/* made [L] - take notice of the probe that belongs to parg: it exists now. */
	void (*made)(void *parg, dtrace_probe_t *probe);
	/* destroy [L] - free parg: the probe has ended and fires no more. May be NULL. */
	void (*destroy)(void *arg, dtrace_probe_t *probe, void *parg);
} dtrace_provider_ops_t;

/*
 * dtrace_provider_register - make a provider and return it in *provp. name, attr and priv are
 * copied; ops and arg must be valid until dtrace_provider_unregister(). priv: the privileges that
 * its probes require. Return 0; -EEXIST: the name is taken; -EINVAL: the name is invalid; -ENOMEM.
 */
int dtrace_provider_register(const char *name, const dtrace_pattr_t *attr,
			     const dtrace_ppriv_t *priv, const dtrace_provider_ops_t *ops,
			     void *arg, dtrace_provider_t **provp);
/*
 * dtrace_provider_register_for - make a provider whose name must differ only from names with the
 * same key. dtrace_provider_register() uses key 0. With a key for each process, provider foo1 of
 * process 23 and provider foo of process 123 both show as foo123, and descriptions match both.
 * Return 0; -EEXIST: the name is taken with this key; -EINVAL: the name is invalid; -ENOMEM.
 */
int dtrace_provider_register_for(uint64_t key, const char *name, const dtrace_pattr_t *attr,
				 const dtrace_ppriv_t *priv, const dtrace_provider_ops_t *ops,
				 void *arg, dtrace_provider_t **provp);
/*
 * dtrace_provider_find - return arg of the provider with that name and key, or NULL. The caller
 * keeps the provider from being unregistered meanwhile.
 */
void *dtrace_provider_find(uint64_t key, const char *name);
/*
 * dtrace_provider_unregister [S] - remove a provider and its probes. Enabled probes are disabled
 * and their ECBs retired; what these have recorded can still be read. Returns after the last firing
 * has ended and destroy has been called for each probe. prov is freed. Its operation prepare must
 * not be running.
 */
void dtrace_provider_unregister(dtrace_provider_t *prov);

/*
 * dtrace_probe_create - add a probe and return it in *probep, if probep is not NULL. The names are
 * copied. Retained enablings see the probe only after dtrace_provider_match(). -EEXIST: the
 * provider has a probe of that name. -ENAMETOOLONG. -ENOMEM.
 */
int dtrace_probe_create(dtrace_provider_t *prov, const char *mod, const char *func,
			const char *name, void *parg, dtrace_probe_t **probep);
/* dtrace_probe_lookup - return the provider's probe of exactly that name, or NULL. */
dtrace_probe_t *dtrace_probe_lookup(dtrace_provider_t *prov, const char *mod, const char *func,
				    const char *name);
/*
 * dtrace_probe_destroy [S] - remove n probes of one or more providers, as
 * dtrace_provider_unregister() does. Remove many at once: each call waits for firings to end.
 */
void dtrace_probe_destroy(dtrace_probe_t **probes, size_t n);
/*
 * dtrace_probe_destroy_unused - remove those of n probes that are not enabled; the others stay. A
 * provide operation may call it, since nothing is disabled and nothing needs sync. It reorders
 * probes.
 */
void dtrace_probe_destroy_unused(dtrace_probe_t **probes, size_t n);
/*
 * dtrace_listing_create - have the engine list probes of a provider that exist only while they are
 * enabled: for each of n functions, which the operation listed describes, one of each name. names
 * (the last NULL) must live as long as the listing. larg is for the provider's operations. The
 * elements have numbers at once. Retained enablings do not see them until dtrace_listing_match().
 * -ENOMEM.
 */
int dtrace_listing_create(dtrace_provider_t *prov, uint32_t n, const char *const *names, void *larg,
			  dtrace_listing_t **listing);
/*
 * dtrace_listing_destroy [S] - end a listing, and the probes that exist of it as
 * dtrace_probe_destroy() does. dtrace_listing_match() of the listing must not be running.
 */
void dtrace_listing_destroy(dtrace_listing_t *listing);
/*
 * dtrace_provider_match [S] - match the provider's new probes with the retained enablings of all
 * sessions. If there are probes that they take, wait for sync. The caller keeps the provider
 * registered. The engine lock is released now and then. A fatal signal does not end the matching,
 * since the enablings are those of others. It ends the wait: another thread calls sync then.
 * -ENOMEM: the probes are still new, and the next call matches them.
 */
int dtrace_provider_match(dtrace_provider_t *prov);
/* dtrace_listing_match [S] - do the same with the elements of a listing, which is new. -ENOMEM. */
int dtrace_listing_match(dtrace_listing_t *listing);
/* dtrace_probe_id - return the number of a probe. Any context. */
dtrace_id_t dtrace_probe_id(const dtrace_probe_t *probe);
/* dtrace_probe_arg - return parg of dtrace_probe_create(). Any context. */
void *dtrace_probe_arg(const dtrace_probe_t *probe);
/*
 * dtrace_probe_enabled - return whether the probe has ECBs; this may change at once. Any context.
 */
bool dtrace_probe_enabled(const dtrace_probe_t *probe);

/*
 * dtrace_fire - run the clauses that have enabled a probe. Any context, except within functions of
 * the port. The probe must exist, or its destruction must still be waiting for this firing, which
 * then is an RCU reader or has interrupts off.
 */
void dtrace_fire(dtrace_probe_t *probe, const struct dtrace_fire *fire);
/*
 * dtrace_fire_timed - fire as dtrace_fire() does, from a provider's timer. The time belongs to no
 * thread, so it is counted for each user. Sessions of a user whose share of this CPU
 * (dtrace_account_share) is used up are left out, and a pause is counted. bound: fire only for
 * sessions that trace this CPU only. Return 0 if a session has taken the firing; otherwise for how
 * many ns none will take one, so that the provider may wait as long.
 */
uint64_t dtrace_fire_timed(dtrace_probe_t *probe, const struct dtrace_fire *fire, bool bound);
/*
 * dtrace_fire_within - fire as dtrace_fire() does, for a caller that is in probe context already.
 */
void dtrace_fire_within(dtrace_probe_t *probe, const struct dtrace_fire *fire);
/*
 * dtrace_fire_missed - count an event that an enabled probe stands for and that the provider could
 * not fire it for, for each session that would have seen it. Context as for dtrace_fire().
 */
void dtrace_fire_missed(dtrace_probe_t *probe);

/* ---- sessions (state.c): one per open file ---- */

/* The credentials of a session. */
struct dtrace_cred {
	uint32_t privs;	  /* DTRACE_PRIV_* */
	uint32_t uid;	  /* effective, in the first user namespace */
	uint32_t pid;	  /* process of the consumer, for lists */
	uint32_t account; /* number of the charged account: see dtrace_account_get() */
	uint32_t bytes;	  /* memory of the caller for the session, to be charged with it */
	bool privileged;  /* see dtrace_account_get() */
	const void *who;  /* for target_owns(); valid as long as the session */
	/*
	 * the PID namespace whose process numbers the session uses; valid as long as the session;
	 * NULL: the first one
	 */
	const void *pid_ns;
};

/*
 * dtrace_state_create - begin a session and return it in *statep. cred is copied. cookie is the
 * argument of port_wake(). -ENOMEM. -EDQUOT: the user has too many sessions (DTRACE_RES_SESSIONS)
 * or too much memory (DTRACE_RES_MEMORY).
 */
int dtrace_state_create(const struct dtrace_cred *cred, void *cookie, dtrace_state_t **statep);
/*
 * dtrace_state_destroy [S] - end a session in any state. All its enablings are gone on return;
 * what providers do for their sync operation may still be under way. No request of the session may
 * be under way.
 */
void dtrace_state_destroy(dtrace_state_t *state);

/*
 * dtrace_state_enable [S] - take a program: DOF of size bytes, which stays the caller's, with
 * options and clauses. The descriptions of the clauses also match probes that come later. On an
 * error nothing of the program stays, and errmsg (len bytes; may be NULL) says what is wrong, and
 * where.
 * -EINVAL: bad DOF or DIF. -EPERM: destructive actions without the option, or without the right.
 * -EBUSY: the session is active or stopped. -E2BIG: the DOF is larger than DTRACE_DOF_MAXSIZE, or
 * stands for programs that take too much memory for its size. -EDQUOT: the user would hold too much
 * memory (DTRACE_RES_MEMORY), or cause too many interrupts (DTRACE_RES_INTERRUPTS). -ENOSPC: a
 * provider can make no more probes, and a description names one. -ENOMEM. -EINTR.
 */
int dtrace_state_enable(dtrace_state_t *state, const void *dof, size_t size, dtrace_enable_io_t *io,
			char *errmsg, size_t len);
/*
 * dtrace_state_go - allocate the session's buffers, fire BEGIN, and record from then on. go gets
 * the CPU of BEGIN. -ENOSPC: a record is larger than the buffer. -E2BIG: a record fits, but not
 * beside the space for the records of END. -ENOMEM: also if the buffers pass DTRACE_BUFTOTAL_MAX.
 * -EDQUOT: they would pass the user's limit (DTRACE_RES_MEMORY). -ENODEV: the only CPU (option cpu)
 * is offline.
 * -EBUSY: it was called before. -EINTR.
 */
int dtrace_state_go(dtrace_state_t *state, dtrace_go_t *go);
/*
 * dtrace_state_join - allocate the session's buffers, and record from then on, for a session that
 * another engine leads, which fires BEGIN and END for both. ERROR fires here. The deadman is off:
 * the program that runs this engine has to check the leader. Return 0, or for the reasons of
 * dtrace_state_go() -ENOSPC, -E2BIG, -ENOMEM, -EDQUOT, -ENODEV, -EBUSY or -EINTR.
 */
int dtrace_state_join(dtrace_state_t *state);
/*
 * dtrace_state_prepare - allocate the memory for firings as dtrace_state_go() does, which then only
 * begins. Nothing more can be enabled. Return 0, or for the reasons of dtrace_state_go() -ENOSPC,
 * -E2BIG, -ENOMEM, -EDQUOT, -ENODEV, -EBUSY or -EINTR.
 */
int dtrace_state_prepare(dtrace_state_t *state);

/* Memory for the global variables of sessions of several engines, all zeros at first. (shared.c) */
struct dtrace_shared {
	void *mem; /* 64-byte aligned */
	uint64_t size;
	uint64_t dynvarsize; /* of the session: one for all engines */
	uint32_t seed;
};
/*
 * dtrace_state_shared_bytes - return the size of such memory for the programs of a session; 0: none
 * of them has a global variable.
 */
uint64_t dtrace_state_shared_bytes(const dtrace_state_t *state, uint64_t dynvarsize);
/*
 * dtrace_state_share - keep the global variables of a session in shared memory instead of the
 * engine's own: it has been prepared or has joined, and none of its programs has run. All engines
 * have the same programs. -EINVAL: the memory has another size than these need. -ENOMEM.
 */
int dtrace_state_share(dtrace_state_t *state, const struct dtrace_shared *shared);
/*
 * dtrace_state_recover - take back the locks and chunks that a CPU of any of the engines held in
 * the variables, after its process ended, or its firing was left for good. owner: port_owner() of
 * that CPU.
 */
void dtrace_state_recover(dtrace_state_t *state, uint32_t owner);

/*
 * dtrace_state_stop - stop recording, wait for firings to end, and fire END. go gets the CPU of
 * END; it may be NULL after dtrace_state_join(). Buffers can be read afterwards. -EINVAL: neither
 * dtrace_state_go() nor dtrace_state_join() has succeeded. -EBUSY: the session is stopped. -EINTR:
 * it is not stopped.
 */
int dtrace_state_stop(dtrace_state_t *state, dtrace_go_t *go);
/* dtrace_state_status - sum up the counts of all CPUs. -EINTR. */
int dtrace_state_status(dtrace_state_t *state, dtrace_status_t *status);
/* dtrace_state_conf - fill in versions and limits, but not dtc_release. Return 0. */
int dtrace_state_conf(dtrace_state_t *state, dtrace_conf_t *conf);
/* dtrace_state_optget - return the value in use of an option. -EINVAL: there is no such option. */
int dtrace_state_optget(dtrace_state_t *state, dtrace_optget_t *opt);
/*
 * dtrace_state_eprobe - describe an enabled probe by its number, and its records. recs: space for
 * nrecs descriptions of records; ep gets their true number. -ESRCH: there is no such number.
 * -EINTR.
 */
int dtrace_state_eprobe(dtrace_state_t *state, dtrace_eprobedesc_t *ep, dtrace_recdesc_t *recs,
			uint32_t nrecs);
/*
 * dtrace_state_aggdesc - describe an aggregation by its number, and its records. recs: space for
 * nrecs descriptions of records; ad gets their true number. Return 0; -ESRCH: there is no such
 * number. -EINTR.
 */
int dtrace_state_aggdesc(dtrace_state_t *state, dtrace_aggdesc_t *ad, dtrace_recdesc_t *recs,
			 uint32_t nrecs);
/*
 * dtrace_state_snapshot - swap a CPU's principal buffer (agg: its aggregation buffer), and give its
 * data to emit() block by block in order, in the format of record.h. emit() gets ctx, may sleep,
 * and returns 0, or a negative errno, which ends the snapshot and is its result. desc: the CPU and
 * the caller's space on entry, the rest on return. -EINTR.
 */
int dtrace_state_snapshot(dtrace_state_t *state, bool agg, dtrace_bufdesc_t *desc,
			  int (*emit)(void *ctx, const void *data, size_t n), void *ctx);
/*
 * dtrace_state_clean - commit or discard, on all CPUs, the speculations that another CPU has ended,
 * so that speculation() can hand them out again. A CPU does its part itself when it fires for the
 * session; this is for CPUs that do not fire. The module calls it every DTRACEOPT_CLEANRATE ns. It
 * takes at most a few milliseconds, never waits for a consumer, and leaves the rest to the next
 * call.
 */
void dtrace_state_clean(dtrace_state_t *state);
/*
 * dtrace_state_deadman - note that the machine is alive. Called every second while the session
 * traces, from a thread that runs only if the machine does more than handle probes. Any context.
 */
void dtrace_state_deadman(dtrace_state_t *state);
/* dtrace_state_readable - return whether poll should report POLLIN. Any context. */
bool dtrace_state_readable(dtrace_state_t *state);

/* ---- lists, as the user of a session may see them ---- */

/*
 * dtrace_state_provider - describe the provider named in desc; of several, one. -ESRCH: the session
 * sees none of that name.
 */
int dtrace_state_provider(dtrace_state_t *state, dtrace_providerdesc_t *desc);
/*
 * dtrace_state_probes [S] - describe the first probe whose number is not below that in desc; if
 * match, the first that the patterns in desc match. If the number is below 2, providers are asked
 * to provide first. -ESRCH: there is none. -ENOSPC: there is none, since its provider can make no
 * more. A negative DTRACE_REFUSED_*: there is none, for that reason. -ENOMEM. -EINTR.
 */
int dtrace_state_probes(dtrace_state_t *state, bool match, dtrace_probedesc_t *desc);
/*
 * dtrace_state_probe_list [S] - describe probes as DTRACEIOC_PROBES does, to descs, whose capacity
 * is io->capacity, one at least. 0 if any is found; otherwise as dtrace_state_probes.
 */
int dtrace_state_probe_list(dtrace_state_t *state, dtrace_probes_io_t *io,
			    dtrace_probedesc_t *descs);
/*
 * dtrace_state_probearg - describe the argument of a probe that desc numbers; its number becomes
 * DTRACE_ARGNONE if there is no such argument. -ESRCH: the session sees no such probe.
 */
int dtrace_state_probearg(dtrace_state_t *state, dtrace_argdesc_t *desc);

/* ---- lists for root: rows of files in /proc/dtrace ---- */

struct dtrace_staterow { /* sessions */
	uint32_t pid, uid, activity;
	uint32_t nenablings, necbs;
	uint64_t bufsize, aggsize, dynvarsize;
	dtrace_status_t status;
};
struct dtrace_proberow { /* probes */
	dtrace_probedesc_t desc;
	uint32_t necbs;
};
struct dtrace_providerrow { /* providers */
	char name[DTRACE_PROVNAMELEN];
	uint32_t nprobes, nenabled;
	uint32_t priv;
};
/*
 * dtrace_staterow - describe the session with the lowest number above *after, which is 0 at first,
 * and becomes that number. -ESRCH: there is none.
 */
int dtrace_staterow(uint32_t *after, struct dtrace_staterow *info);
/*
 * dtrace_proberow - describe the probe with the lowest number above *after, as dtrace_staterow()
 * does a session. Return 0; -ESRCH: there is none.
 */
int dtrace_proberow(uint32_t *after, struct dtrace_proberow *info);
/*
 * dtrace_providerrow - describe the provider with the lowest number above *after, as
 * dtrace_staterow() does a session. Return 0; -ESRCH: there is none.
 */
int dtrace_providerrow(uint32_t *after, struct dtrace_providerrow *info);

/* ---- helper DOF (helper.c): what a process has registered ---- */

/*
 * A site, by addresses of the process. Argument operands have been checked: registers are valid,
 * sizes are 1, 2, 4 or 8. Operands that the DOF gives relative to itself (DOF_REG_IP) are absolute
 * here, with base DOF_REG_NONE.
 */
struct dtrace_helper_site {
	uint64_t addr; /* of the instruction */
	uint64_t sema; /* of the semaphore, a uint16_t; 0: none */
	const char *func;
	/* nlocs operands; NULL: arguments by the C calling convention at a call instruction */
	const dof_argloc_t *locs;
	uint8_t nlocs;
	uint8_t isenabled; /* it is an is-enabled test */
};
struct dtrace_helper_probe {
	const char *name;	  /* with - for __ */
	const char *func;	  /* of the first site; sites may be in several functions */
	uint8_t nargs, nxargs;	  /* native and translated arguments */
	const char *const *nargv; /* C types, nargs of them */
	const char *const *xargv; /* nxargs of them */
	const uint8_t *map;	  /* native argument of each translated one */
	struct dtrace_helper_site *sites;
	uint32_t nsites;
	uint8_t nlocs; /* the most that a site has */
};
struct dtrace_helper_provider {
	const char *name; /* without pid */
	dtrace_pattr_t attr;
	struct dtrace_helper_probe *probes;
	uint32_t nprobes;
};
struct dtrace_helper_program;
struct dtrace_helper_dof {
	struct dtrace_helper_provider *providers;
	uint32_t nproviders;
	uint32_t nsites;		       /* in all */
	uint64_t user;			       /* address of the DOF in the process */
	struct dtrace_helper_program *program; /* clauses of dtrace:helper:ustack:; NULL: none */
	uint64_t bytes;			       /* memory of all of it */
	uint8_t model;			       /* DOF_MODEL_* */
};
/*
 * dtrace_helper_parse - check helper DOF, which may be hostile, and return what it describes in
 * *out. buf: size bytes that stay the caller's and may be freed afterwards; relocation changes
 * them. user: address of the DOF in the process. base: value that DOF_RELO_SETX adds. limit: the
 * addresses of sites must be below it. errmsg: len bytes for the reason; may be NULL. *out owns all
 * that it points to, and goes to dtrace_helper_free(). -EINVAL, -E2BIG, -ENOMEM, -EINTR: *out is
 * not set.
 */
int dtrace_helper_parse(void *buf, size_t size, uint64_t user, uint64_t base, uint64_t limit,
			struct dtrace_helper_dof **out, char *errmsg, size_t len);
/*
 * dtrace_helper_parse_charged - parse as dtrace_helper_parse() does, with the memory for it charged
 * to account (DTRACE_RES_BYTES) until it returns. The caller then charges the memory of *out.
 * -EDQUOT besides.
 */
int dtrace_helper_parse_charged(struct dtrace_account *account, void *buf, size_t size,
				uint64_t user, uint64_t base, uint64_t limit,
				struct dtrace_helper_dof **out, char *errmsg, size_t len);
/*
 * dtrace_helper_getarg - describe args[n] of a probe: the argument to which the provider's
 * declaration maps it, which may be none (": ()"). It is made of argN, which is mapped too. Without
 * a declaration there are as many arguments as a site has, and their types are empty. out: as for
 * the operation getarg. Return false if there is no such argument. Any context.
 */
bool dtrace_helper_getarg(const struct dtrace_helper_probe *probe, unsigned int n,
			  struct dtrace_arg *out);
/*
 * dtrace_is_control - return whether there is a control character at s, which ends with NUL: an
 * ASCII one, or one in UTF-8, C2 80 to C2 9F. Texts of unprivileged users end up on root's
 * terminal. Any context.
 */
bool dtrace_is_control(const char *s);
/*
 * dtrace_helper_check_names - refuse the DOF of a program that has a provider pid, or pidN: with a
 * process number behind it, its probes would be called as those of functions are. Return 0, or
 * -EINVAL with a reason in errmsg (len bytes).
 */
int dtrace_helper_check_names(const struct dtrace_helper_dof *dof, char *errmsg, size_t len);
/* dtrace_helper_free - free what dtrace_helper_parse() returned; dof may be NULL. */
void dtrace_helper_free(struct dtrace_helper_dof *dof);

/* ---- ustack helpers: what target_helpers() returns ---- */

/* A helper of an address space, and the text of its object: each from start to before end. */
struct dtrace_helper {
	const struct dtrace_helper_program *program;
	uint32_t ntexts;
	struct {
		uint64_t start, end;
	} texts[DTRACE_UHELP_MAXTEXTS];
};
/* All helpers of an address space, in the order in which they are asked. */
struct dtrace_helpers {
	/* charged for their time in interrupts, and valid as long as they are; NULL: not charged */
	struct dtrace_account *account;
	uint32_t n;
	struct dtrace_helper list[];
};
/* Counts since the engine began, of all CPUs. */
struct dtrace_helper_counts {
	uint64_t runs;	 /* frames that a helper was asked about */
	uint64_t names;	 /* frames that it named */
	uint64_t faults; /* runs that ended in a fault */
	uint64_t limits; /* stacks for which a limit was reached */
	uint64_t pauses; /* stacks for which no helper was asked: its user's share was used up */
};
/* dtrace_helper_counts - sum up the counts. */
void dtrace_helper_counts(struct dtrace_helper_counts *counts);

/* ---- stacks of processes (unwind.c): the parts of target_ustack() ---- */

/* A table as in <dtrace/unwind.h>, verified. */
struct dtrace_unwind_table {
	const uint32_t *addrs;
	const uint16_t *index;
	const dtrace_unwind_rule_t *rules;
	uint32_t nrows, nrules;
	unsigned int word; /* bytes of an address in the code that it describes */
};
/* A mapping with code. */
struct dtrace_unwind_map {
	uint64_t start, end, bias;
	const struct dtrace_unwind_table *table; /* NULL: there is none */
};
/* The mappings of a process, by address. */
struct dtrace_unwind_maps {
	uint32_t n;
	struct dtrace_unwind_map list[];
};
/* Registers of a thread by the numbers of DWARF. */
struct dtrace_unwind_regs {
	uint64_t pc, regs[DTRACE_UNWIND_NREGS];
	unsigned int word; /* bytes: 4 or 8 */
	bool no_frame;	   /* the return address is at the stack pointer */
};
/* dtrace_unwind_verify - check a table of which only sizes are known. 0 or -EINVAL. Any context. */
int dtrace_unwind_verify(const struct dtrace_unwind_table *table);
/*
 * dtrace_unwind - write the program counter, then the return addresses of the current process to
 * pcs, at most n; return their number. maps: NULL for frame pointers only. fps, if not NULL, gets
 * for each frame the address of the word before the next return address, where a frame pointer
 * would be; 0 for the last. *stray becomes whether an address was in none of the maps. Probe
 * context.
 */
unsigned int dtrace_unwind(const struct dtrace_unwind_maps *maps,
			   const struct dtrace_unwind_regs *regs, uint64_t *pcs, uint64_t *fps,
			   unsigned int n, bool *stray);

#endif
