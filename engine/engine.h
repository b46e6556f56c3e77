/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * engine.h - what the engine offers to those who drive it: the module's devices and providers, and
 * tests.
 *
 * Results are 0 or a negative errno unless said otherwise. Every function may sleep but
 * dtrace_fire and dtrace_fire_within, which never do.
 *
 * Locking. One sleeping lock, the engine lock, covers providers, probes, sessions, enablings and
 * ECBs; all functions here take it themselves. Provider operations marked [L] are called with it
 * held and must not call back into this header. sync and provide are called without it, one call
 * at a time, under the sync lock (order: sync lock, engine lock); they must not call functions
 * marked [S], which take that lock, and no lock that they take may be held around functions marked
 * [S]. A firing takes no lock of these: it reads the probe's list of ECBs, which is changed by
 * publishing a new list and freed after port_grace_period().
 */
#ifndef DTRACE_ENGINE_H
#define DTRACE_ENGINE_H

#include "port.h"
#include <dtrace/ioctl.h>
#include <dtrace/unwind.h>

typedef struct dtrace_provider dtrace_provider_t;
typedef struct dtrace_probe dtrace_probe_t;
typedef struct dtrace_state dtrace_state_t;
struct dtrace_cred;

/*
 * dtrace_engine_init - memory for firings, and the engine's own provider. -ENOMEM: nothing is left.
 */
int dtrace_engine_init(void);
/* dtrace_engine_fini - undo init. All providers must be unregistered and all sessions destroyed. */
void dtrace_engine_fini(void);
/* dtrace_engine_assert_locked - complain if the engine lock is not held: in operations marked [L]. */
void dtrace_engine_assert_locked(void);

/* ---- accounts: what a user makes the system hold (account.c) ---- */

/*
 * Resources that are counted for each user over all of the user's sessions, processes and fork
 * children. Each has a limit in dtrace_account_limits, which is a parameter of the module.
 */
enum dtrace_resource {
	DTRACE_RES_SESSIONS,		/* open sessions (user_sessions) */
	/*
	 * bytes of sessions: programs, ECBs, buffers, variables, speculations, and what a call copies
	 * while it lasts (user_memory)
	 */
	DTRACE_RES_MEMORY,
	DTRACE_RES_REGISTRATIONS,	/* of DOF, copies of fork children included (user_registrations) */
	DTRACE_RES_SITES,		/* sites of these (user_sites) */
	DTRACE_RES_PROBES,		/* probes of processes, that is probe ids (user_probes) */
	/*
	 * bytes of registrations: DOF, sites, groups, providers, and what a call copies while it lasts
	 * (user_registration_memory)
	 */
	DTRACE_RES_BYTES,
	/* interrupts a second and CPU that enabled probes cause; each session counts (user_interrupts) */
	DTRACE_RES_INTERRUPTS,
	DTRACE_RES_MAX
};
struct dtrace_account;
/*
 * dtrace_account_limits - most that a user may hold of each resource. A value that is 0 when the
 * engine begins is replaced by the default. Written at any time; what is held already stays.
 */
extern uint64_t dtrace_account_limits[DTRACE_RES_MAX];
/*
 * dtrace_account_get - the account of a user, by the number that the user has in the first user
 * namespace; made if there is none. privileged: the user may pass all limits (CAP_SYS_RESOURCE or
 * CAP_SYS_ADMIN in the first user namespace); what is held with that right is counted apart. NULL: no
 * memory. dtrace_account_ref - one more reference. dtrace_account_put - give a reference back (NULL
 * is fine); all that was charged with it must have been uncharged. All three may sleep; under any
 * lock of the engine or of a provider that may be held while sleeping.
 */
struct dtrace_account *dtrace_account_get(uint32_t uid, bool privileged);
struct dtrace_account *dtrace_account_ref(struct dtrace_account *account);
void dtrace_account_put(struct dtrace_account *account);
/*
 * dtrace_account_charge - add n to what the user holds. -EDQUOT: the limit would be passed, nothing
 * was added, and errmsg (len bytes, may be NULL) names the limit and the parameter that raises it.
 * dtrace_account_uncharge - take n away. Any context; no locks.
 */
int dtrace_account_charge(struct dtrace_account *account, enum dtrace_resource res, uint64_t n,
			  char *errmsg, size_t len);
void dtrace_account_uncharge(struct dtrace_account *account, enum dtrace_resource res, uint64_t n);
/*
 * dtrace_account_share - the share of a CPU's time, in percent, that firings in interrupts may take from
 * it for one user: see dtrace_fire_timed. Written at any time.
 */
extern unsigned int dtrace_account_share;
/* dtrace_account_uid - its user. dtrace_account_privileged - may its user pass all limits? */
uint32_t dtrace_account_uid(const struct dtrace_account *account);
bool dtrace_account_privileged(const struct dtrace_account *account);
/* dtrace_account_parameter - name of the module's parameter that is the limit. */
const char *dtrace_account_parameter(enum dtrace_resource res);
struct dtrace_accountinfo {	/* for /proc/dtrace/users; as dtrace_stateinfo below */
	uint32_t uid;
	bool privileged;
	uint64_t used[DTRACE_RES_MAX];
};
int dtrace_accountinfo(uint32_t *after, struct dtrace_accountinfo *info);

/* ---- providers and probes ---- */

/*
 * An argument of a probe, as the provider declares it: args[n] of a D program. The value comes from
 * struct dtrace_fire. Names of types are those of the kernel and its modules (struct file *, struct
 * mod`tag *) if the provider's priv is DTRACE_PRIV_KERNEL or none; else those of D.
 */
struct dtrace_arg {
	const char *type;	/* C type of the native argument; NULL or empty: unknown */
	const char *xlate;	/* D type to which it is translated; NULL or empty: it is not */
	unsigned int native;	/* which argument it is made of: n for argn */
};

/*
 * A firing, as the provider describes it: the values of the arguments, errno, and the interrupted
 * code. All pointers must be valid until dtrace_fire() returns. Zeros are right for members that do
 * not apply.
 */
struct dtrace_fire {
	/*
	 * The first native arguments, those that cost nothing to have; the operation getargval
	 * gives the others.
	 */
	const uint64_t *args;
	unsigned int nargs;	/* values in args */
	const void *regs;	/* struct pt_regs of the interrupted code, or NULL */
	bool user;		/* the interrupted code is user code */
	/*
	 * The probe does not concern the current process: it fires for all sessions, and hides the
	 * data of the current process from the sessions that may not see that process.
	 */
	bool no_process;
	/*
	 * For user code: the function has no frame of its own here, as at its first instruction and
	 * at its return instruction. The return address is at the stack pointer.
	 */
	bool no_frame;
	int32_t err;		/* errno of the system call that returns here; 0: none, or success */
	uint64_t caller_skip;	/* frames at the top of the kernel's stack to leave out of stack() */
	const void *cookie;	/* for getargval; the engine does not look at it */
};

typedef struct dtrace_provider_ops {
	/*
	 * provide - create the probes that desc (patterns) may name; desc NULL: those that exist
	 * without being named. May be NULL. The engine lock is not held; it calls
	 * dtrace_probe_create. Called before a description is matched or listed. -ENOSPC: desc names a
	 * probe that would be one more than the provider has room for; else 0.
	 */
	int (*provide)(void *arg, const dtrace_probedesc_t *desc);
	/* enable [L] - the first ECB came. -EDQUOT: its user has too many breakpoints in the probe's file */
	int (*enable)(void *arg, dtrace_probe_t *probe, void *parg);
	void (*disable)(void *arg, dtrace_probe_t *probe, void *parg);	/* [L] last ECB went */
	/*
	 * interrupts [L] - how many interrupts a second and CPU the probe causes while it is enabled:
	 * each session that enables it is charged for them. May be NULL: none.
	 */
	uint64_t (*interrupts)(void *arg, dtrace_probe_t *probe, void *parg);
	/*
	 * bind [L] - a session that traces on that CPU only (option cpu) begins: let the probe, which is
	 * enabled, fire there too until it is disabled, by dtrace_fire_timed where it would not
	 * otherwise. May be NULL: it fires wherever what it stands for happens.
	 */
	void (*bind)(void *arg, dtrace_probe_t *probe, void *parg, uint32_t cpu);
	/*
	 * sync - carry out what enable and disable noted down and could not do with the lock
	 * held. Called without the engine lock before the request that caused it returns, close
	 * included. May be NULL.
	 */
	void (*sync)(void *arg);
	/*
	 * getarg [L] - declare args[n]. On entry, out has native n and no types. Its strings must be
	 * valid as long as the probe. Return false if the probe has no such argument. May be NULL:
	 * the probes declare no arguments.
	 */
	bool (*getarg)(void *arg, dtrace_probe_t *probe, void *parg, unsigned int n,
		       struct dtrace_arg *out);
	/*
	 * getargval - return a value that is not in fire->args: if raw, of argN for an argno from
	 * fire->nargs on, else of args[argno]. Probe context. May be NULL: args[n] is argn, and both
	 * are 0 from fire->nargs on.
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
	/* destroy [L] - the probe is gone and fires no more; free parg. May be NULL. */
	void (*destroy)(void *arg, dtrace_probe_t *probe, void *parg);
} dtrace_provider_ops_t;

/*
 * dtrace_provider_register - make a provider. name and attr are copied, ops must live as long as
 * it. priv says who may use its probes. -EEXIST: the name is taken. -EINVAL: not a valid name.
 */
int dtrace_provider_register(const char *name, const dtrace_pattr_t *attr,
			     const dtrace_ppriv_t *priv, const dtrace_provider_ops_t *ops,
			     void *arg, dtrace_provider_t **provp);
/*
 * dtrace_provider_register_for - the same for a provider whose name only has to differ from those of
 * the same key (dtrace_provider_register: 0). With a key for each process, foo1 of process 23 and foo of
 * process 123, which both show as foo123, do not get into each other's way: descriptions match both.
 */
int dtrace_provider_register_for(uint64_t key, const char *name, const dtrace_pattr_t *attr,
				 const dtrace_ppriv_t *priv, const dtrace_provider_ops_t *ops,
				 void *arg, dtrace_provider_t **provp);
/*
 * dtrace_provider_find - the argument of the provider of that name and key, or NULL. What keeps it from going
 * is the caller's.
 */
void *dtrace_provider_find(uint64_t key, const char *name);
/*
 * dtrace_provider_unregister [S] - remove it and its probes, enabled or not: ECBs on them are
 * retired (what they recorded can still be read). Returns after the last firing has ended and
 * destroy was called for each probe. disable is called for enabled ones.
 */
void dtrace_provider_unregister(dtrace_provider_t *prov);

/*
 * dtrace_probe_create - add a probe; names are copied (too long: -ENAMETOOLONG). Retained enablings
 * of all sessions do not see it until dtrace_provider_match. -EEXIST: there is one of that name.
 */
int dtrace_probe_create(dtrace_provider_t *prov, const char *mod, const char *func,
			const char *name, void *parg, dtrace_probe_t **probep);
/* dtrace_probe_lookup - the provider's probe of exactly that name, or NULL. */
dtrace_probe_t *dtrace_probe_lookup(dtrace_provider_t *prov, const char *mod, const char *func,
				    const char *name);
/*
 * dtrace_probe_destroy [S] - remove probes, as dtrace_provider_unregister does; n at a time, since
 * each call waits for firings to end.
 */
void dtrace_probe_destroy(dtrace_probe_t **probes, size_t n);
/*
 * dtrace_probe_destroy_unused - as dtrace_probe_destroy, for those of the probes that no session has
 * enabled; the others stay. Nothing is disabled, so that there is nothing to sync: a provide
 * operation may call it. It reorders probes.
 */
void dtrace_probe_destroy_unused(dtrace_probe_t **probes, size_t n);
/*
 * dtrace_provider_match [S] - match the provider's new probes with retained enablings of all
 * sessions, then sync. The provider stays registered until it returns. Lets others have the lock
 * now and then, and goes on to the end even when the caller is being killed: what is matched is for
 * others' sessions. -ENOMEM: the probes are new still, and the next call matches them.
 */
int dtrace_provider_match(dtrace_provider_t *prov);
/* dtrace_probe_id, dtrace_probe_arg - its number, and parg of dtrace_probe_create. */
dtrace_id_t dtrace_probe_id(const dtrace_probe_t *probe);
void *dtrace_probe_arg(const dtrace_probe_t *probe);

/*
 * dtrace_fire - a probe was hit. Any context but that it must not be called from within port_*
 * functions. The probe must not have been destroyed, or its destruction must still be waiting for
 * this firing (port_grace_period covers it).
 */
void dtrace_fire(dtrace_probe_t *probe, const struct dtrace_fire *fire);
/*
 * dtrace_fire_timed - fire as dtrace_fire does, for a provider with timers of its own: what it takes is
 * no thread's time, so that it is counted for each user. Sessions of a user who has used up the share
 * of this CPU (dtrace_account_share) are left out, which is counted for them. bound: only for sessions
 * that trace on this CPU only. Return 0 if a session took it; else for how many ns none will, after
 * which the provider may fire again.
 */
uint64_t dtrace_fire_timed(dtrace_probe_t *probe, const struct dtrace_fire *fire, bool bound);
/* dtrace_fire_within - as dtrace_fire, for who is in probe context already. */
void dtrace_fire_within(dtrace_probe_t *probe, const struct dtrace_fire *fire);
/* dtrace_probe_enabled - has it ECBs? Any context; a hint. */
bool dtrace_probe_enabled(const dtrace_probe_t *probe);

/* ---- sessions: one per open file ---- */

struct dtrace_cred {
	uint32_t privs;		/* DTRACE_PRIV_* */
	uint32_t uid;
	uint32_t pid;		/* of the consumer, shown in listings */
	uint32_t account;	/* uid that is charged; see dtrace_account_get, as for the next */
	uint32_t bytes;		/* of the caller's own for the session, which are charged with it */
	bool privileged;
	const void *who;	/* for target_owns; must live as long as the session, as the next */
	/* the PID namespace whose process numbers the session uses; NULL: the first one */
	const void *pid_ns;
};

/*
 * dtrace_state_create - cookie is for port_wake. -ENOMEM. -EDQUOT: the user has as many sessions as
 * one user may have (DTRACE_RES_SESSIONS), or as much memory (DTRACE_RES_MEMORY).
 */
int dtrace_state_create(const struct dtrace_cred *cred, void *cookie, dtrace_state_t **statep);
/*
 * dtrace_state_destroy [S] - end the session in whatever state it is: all its enablings are gone on
 * return.
 */
void dtrace_state_destroy(dtrace_state_t *state);

/*
 * dtrace_state_enable [S] - take DOF (size bytes, kept by the caller): options, then clauses, whose
 * descriptions are kept and match later probes. On an error nothing of it stays and errmsg (len
 * bytes, may be NULL) says what and where.
 * -EINVAL: bad DOF or DIF. -EPERM: destructive actions without the option, or no privilege.
 * -EBUSY: already active or stopped. -E2BIG: larger than DTRACE_DOF_MAXSIZE, or it stands for programs that take
 * too much memory for its size. -EDQUOT: the user may not hold so much memory (DTRACE_RES_MEMORY), or cause so
 * many interrupts (DTRACE_RES_INTERRUPTS).
 * -EINTR: the caller is being killed. -ENOSPC: a provider has no room for a probe that is named.
 */
int dtrace_state_enable(dtrace_state_t *state, const void *dof, size_t size, dtrace_enable_io_t *io,
			char *errmsg, size_t len);
/*
 * dtrace_state_go - give the session its memory, fire BEGIN and record from then on; go gets
 * BEGIN's CPU. -ENOSPC: a record is larger than the buffer. -E2BIG: it fits, but not beside the room
 * that END's records need. -ENOMEM, also when the buffers pass DTRACE_BUFTOTAL_MAX. -EDQUOT: they would pass
 * the limit of what the user may hold (DTRACE_RES_MEMORY). -ENODEV: the only CPU (option cpu) is
 * offline. -EINTR: the caller is being killed. -EBUSY: it has been called.
 */
int dtrace_state_go(dtrace_state_t *state, dtrace_go_t *go);
/*
 * dtrace_state_stop - end recording, wait for firings, fire END; go gets END's CPU. Buffers can be
 * read afterwards. -EINVAL: go was not called. -EBUSY: it is stopped. -EINTR: the caller is being killed;
 * it is not stopped then.
 */
int dtrace_state_stop(dtrace_state_t *state, dtrace_go_t *go);
/*
 * dtrace_state_status - counts of all CPUs. -EINTR, as for all requests of a session that wait for
 * another one to end: the caller is being killed.
 */
int dtrace_state_status(dtrace_state_t *state, dtrace_status_t *status);
/* dtrace_state_conf - versions and limits; dtc_release is left empty for the caller. */
int dtrace_state_conf(dtrace_state_t *state, dtrace_conf_t *conf);
/* dtrace_state_optget - the value in use. -EINVAL: no such option. */
int dtrace_state_optget(dtrace_state_t *state, dtrace_optget_t *opt);
/*
 * dtrace_state_eprobe, dtrace_state_aggdesc - recs has room for nrecs descriptions; the true number
 * is in the result.
 */
int dtrace_state_eprobe(dtrace_state_t *state, dtrace_eprobedesc_t *ep, dtrace_recdesc_t *recs,
			uint32_t nrecs);
int dtrace_state_aggdesc(dtrace_state_t *state, dtrace_aggdesc_t *ad, dtrace_recdesc_t *recs,
			 uint32_t nrecs);
/*
 * dtrace_state_snapshot - swap a CPU's principal (agg false) or aggregation buffer and give what it
 * held to emit, piece by piece in order, in the format of record.h; emit returns 0 or a negative
 * errno, which ends it. desc: in cpu and size (room); out the rest.
 */
int dtrace_state_snapshot(dtrace_state_t *state, bool agg, dtrace_bufdesc_t *desc,
			  int (*emit)(void *ctx, const void *data, size_t n), void *ctx);
/*
 * dtrace_state_clean - let all CPUs commit or discard speculations that another CPU has ended,
 * after which speculation() can hand them out again. CPUs do their part by themselves when they
 * fire for the session; this is for those that do not. Snapshots, STATUS and STOP do it too, the
 * module besides every DTRACEOPT_CLEANRATE ns. It takes a few milliseconds, and leaves the rest to the
 * next time. While another request of the session is carried out it leaves everything to the next
 * time: it never waits for a consumer. Cheap when there is nothing to do.
 */
void dtrace_state_clean(dtrace_state_t *state);
/*
 * dtrace_state_deadman - to be called every second while the session traces, from a thread that
 * runs only when the machine does other things than handle probes: it shows that. Any context.
 */
void dtrace_state_deadman(dtrace_state_t *state);
/* dtrace_state_readable - would poll say POLLIN? */
bool dtrace_state_readable(dtrace_state_t *state);

/* ---- listings; the state says who is asking (privileges) ---- */

/*
 * dtrace_state_provider - the provider of that name; of several, one. -ESRCH: none that the session may
 * see.
 */
int dtrace_state_provider(dtrace_state_t *state, dtrace_providerdesc_t *desc);
/*
 * dtrace_state_probes [S] - first probe with an id not below desc's; if match, one that the
 * patterns in desc match. -ESRCH: none. -ENOSPC: there would be one, had its provider room. Providers
 * are asked to provide first when the id is below 2. -ENOMEM. -EINTR: the caller is being killed.
 */
int dtrace_state_probes(dtrace_state_t *state, bool match, dtrace_probedesc_t *desc);
/* dtrace_state_probearg - see dtrace_argdesc. -ESRCH: no such probe. */
int dtrace_state_probearg(dtrace_state_t *state, dtrace_argdesc_t *desc);

struct dtrace_stateinfo {	/* for /proc/dtrace/sessions */
	uint32_t pid, uid, activity;
	uint32_t nenablings, necbs;
	uint64_t bufsize, aggsize, dynvarsize;
	dtrace_status_t status;
};
struct dtrace_probeinfo {	/* for /proc/dtrace/probes */
	dtrace_probedesc_t desc;
	uint32_t necbs;
};
struct dtrace_providerinfo {	/* for /proc/dtrace/providers */
	char name[DTRACE_PROVNAMELEN];
	uint32_t nprobes, nenabled;
	uint32_t priv;
};
/*
 * The n-th of each, 0 or -ESRCH past the last; *after* is the id or number last seen, 0 at first,
 * and is moved on.
 */
int dtrace_stateinfo(uint32_t *after, struct dtrace_stateinfo *info);
int dtrace_probeinfo(uint32_t *after, struct dtrace_probeinfo *info);
int dtrace_providerinfo(uint32_t *after, struct dtrace_providerinfo *info);

/* The provider dtrace (BEGIN, END, ERROR) is the engine's own, registered by dtrace_engine_init. */

/* ---- helper DOF: what a process registered ---- */

/*
 * A site, with addresses of the process. Locations are checked: registers are valid, sizes 1 2 4 8.
 * What the DOF gives relative to itself (DOF_REG_IP) is absolute here: base DOF_REG_NONE.
 */
struct dtrace_helper_site {
	uint64_t addr;		/* where to trap */
	uint64_t sema;		/* uint16_t to raise while enabled, or 0 */
	const char *func;
	/* NULL: the C calling convention at a call instruction, classic site */
	const dof_argloc_t *locs;
	uint8_t nlocs;
	uint8_t isenabled;
};
struct dtrace_helper_probe {
	const char *name;	/* with - for __ */
	/* of the first site; sites of one probe may be in several functions */
	const char *func;
	uint8_t nargs, nxargs;
	const char *const *nargv;	/* C types, nargs of them */
	const char *const *xargv;	/* nxargs of them */
	const uint8_t *map;		/* native argument of each translated one */
	struct dtrace_helper_site *sites;
	uint32_t nsites;
};
struct dtrace_helper_provider {
	const char *name;	/* without pid */
	dtrace_pattr_t attr;
	struct dtrace_helper_probe *probes;
	uint32_t nprobes;
};
struct dtrace_helper_program;
struct dtrace_helper_dof {
	struct dtrace_helper_provider *providers;
	uint32_t nproviders;
	uint32_t nsites;
	uint64_t user;		/* address of the DOF in the process */
	/* clauses of dtrace:helper:ustack:; NULL: none */
	struct dtrace_helper_program *program;
	uint64_t bytes;		/* memory that all of it takes */
	uint8_t model;		/* DOF_MODEL_* */
};
/*
 * dtrace_helper_parse - read hostile helper DOF. buf (size bytes; it is changed by relocation)
 * stays the caller's and may be freed after; user is its address in the process, base what
 * DOF_RELO_SETX adds. *out owns all it points to; free with dtrace_helper_free. Sites' addresses
 * are below limit. -EINVAL, -E2BIG, -ENOMEM, with errmsg as in dtrace_state_enable; -EINTR: the
 * caller is being killed.
 */
int dtrace_helper_parse(void *buf, size_t size, uint64_t user, uint64_t base, uint64_t limit,
			struct dtrace_helper_dof **out, char *errmsg, size_t len);
/*
 * dtrace_helper_parse_charged - the same, and what it takes until it returns is charged to account
 * (DTRACE_RES_BYTES): -EDQUOT with text. What *out takes is the caller's to charge then.
 */
int dtrace_helper_parse_charged(struct dtrace_account *account, void *buf, size_t size, uint64_t user,
				uint64_t base, uint64_t limit, struct dtrace_helper_dof **out,
				char *errmsg, size_t len);
void dtrace_helper_free(struct dtrace_helper_dof *dof);

/* ---- ustack helpers: what target_helpers gives out ---- */

/* A helper of an address space, and the text of its object: from start to before end. */
struct dtrace_helper {
	const struct dtrace_helper_program *program;
	uint32_t ntexts;
	struct {
		uint64_t start, end;
	} texts[DTRACE_UHELP_MAXTEXTS];
};
/* All of an address space, in the order in which they are asked. */
struct dtrace_helpers {
	uint32_t n;
	struct dtrace_helper list[];
};
/* What helpers have done since the engine began, all CPUs. */
struct dtrace_helper_counts {
	uint64_t runs;		/* frames that a helper was asked about */
	uint64_t names;		/* that it gave a name */
	uint64_t faults;	/* runs that ended in a fault */
	uint64_t limits;	/* stacks for which a limit was reached */
};
void dtrace_helper_counts(struct dtrace_helper_counts *counts);

/* ---- stacks of processes (unwind.c): what target_ustack is made of ---- */

/* A table as in <dtrace/unwind.h>, verified. */
struct dtrace_unwind_table {
	const uint32_t *addrs;
	const uint16_t *index;
	const dtrace_unwind_rule_t *rules;
	uint32_t nrows, nrules;
	unsigned int word;	/* bytes: it is for code whose addresses have so many */
};
/* What a process maps for execution, by address. */
struct dtrace_unwind_map {
	uint64_t start, end, bias;
	const struct dtrace_unwind_table *table;	/* NULL: there is none */
};
struct dtrace_unwind_maps {
	uint32_t n;
	struct dtrace_unwind_map list[];
};
/* Registers of a thread by DWARF's numbers. */
struct dtrace_unwind_regs {
	uint64_t pc, regs[DTRACE_UNWIND_NREGS];
	unsigned int word;	/* bytes: 4 or 8 */
	bool no_frame;	/* the return address is at the stack pointer */
};
/* dtrace_unwind_verify - may the table be used? 0 or -EINVAL. */
int dtrace_unwind_verify(const struct dtrace_unwind_table *table);
/*
 * dtrace_unwind - program counter, then return addresses, of the current process; their number, at
 * most n. Probe context. maps: NULL for frame pointers only. fps, if not NULL: of each frame the
 * address of the word before the next return address, where a frame pointer would be; 0 of the
 * last. *stray: an address was in none of the maps.
 */
unsigned int dtrace_unwind(const struct dtrace_unwind_maps *maps,
			   const struct dtrace_unwind_regs *regs, uint64_t *pcs, uint64_t *fps,
			   unsigned int n, bool *stray);

#endif
