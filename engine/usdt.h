/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * usdt.h - the probes of one process, from the DOF that describe them, for worlds whose engine runs
 * in processes. (usdt.c)
 *
 * The engine in dtrace numbers probes and locations. The engine in a traced process, which is given
 * the same DOF, takes over the numbers.
 *
 * A location is an address at which a thread is caught. It has a site of each probe that fires
 * there, in the order in which they were added. If several DOF have the same site, the first DOF's
 * site fires, and the others are duplicates: when a site is removed, a duplicate replaces it at
 * once. A location may also be a stop point, with or without sites.
 *
 * The caller makes one call at a time. Firings read locations, sites and probes without a lock.
 * Removed objects are freed after a grace period.
 */
#ifndef DTRACE_ENGINE_USDT_H
#define DTRACE_ENGINE_USDT_H

#include "engine.h"
#include "table.h"

enum usdt_kind {
	USDT_STATIC, /* where the DOF says that the arguments are */
	USDT_ENTRY,  /* the first instruction of a function */
	USDT_OFFSET, /* an instruction by its offset */
	USDT_RETURN  /* an instruction that leaves a function */
};

struct usdt_provider;

/* The registers of the interrupted code: what dtrace_fire.regs points to. */
struct usdt_regs {
	uint64_t words[21]; /* in the order of ptrace's struct user_regs_struct */
};

struct usdt_probe {
	struct link link; /* of the process */
	struct usdt_provider *provider;
	dtrace_probe_t *probe;
	const struct dtrace_helper_probe *desc;
	uint32_t number; /* no other probe that the process has ever had has the same */
	uint32_t nsites;
	bool program; /* its module is what the process executes */
};

struct usdt_site {
	struct usdt_site *next;	     /* at the same location, of another probe */
	struct usdt_site *duplicate; /* at the same location, of the same probe */
	struct usdt_location *location;
	struct usdt_probe *probe;
	const struct dtrace_helper_site *desc;
	enum usdt_kind kind;
};

struct usdt_location {
	uint64_t addr, sema; /* sema: of a semaphore to raise; 0: none */
	struct usdt_site *sites;
	uint32_t index; /* in usdt_process.locations */
	uint32_t stop;	/* number of the stop point there; 0: none */
	bool isenabled; /* the code asks whether it is traced */
	enum usdt_kind kind;
	struct hnode by_addr;
};

/* A DOF that the process has. */
struct usdt_dof {
	struct link link; /* of the process */
	struct dtrace_helper_dof *helper;
	struct dtrace_helper ustack; /* the caller's, who publishes it for ustack() */
	uint32_t nsites;
	struct usdt_site sites[];
};

#define USDT_ANCESTORS 63

struct usdt_process {
	uint64_t key; /* of its providers: no two processes have the same */
	uint32_t pid; /* that ends the names of providers */
	uint32_t uid; /* owner */
	/*
	 * Its ancestors, the parent first: a session that follows forks may name them instead. 0:
	 * no more.
	 */
	uint32_t ancestors[USDT_ANCESTORS];
	struct link providers, probes, dofs;
	struct usdt_location **locations; /* by index; NULL: gone */
	uint32_t nlocations, capacity;
	uint32_t nprobes; /* that there ever were */
	struct htable by_addr;
	/* Called when a probe has been enabled or disabled [L]; may be NULL. */
	void (*changed)(struct usdt_process *process);
};

/* The numbers of the probe and of the location of a site. */
struct usdt_number {
	uint32_t probe, location;
};

/* The DOF describes probes of the provider pid: entry, return or offsets. */
#define USDT_PID 1
/* The DOF is of the program that the process executes; descriptions may call its module a.out. */
#define USDT_PROGRAM 2

/* usdt_init - begin with a process without probes. key is not 0. */
void usdt_init(struct usdt_process *process, uint64_t key, uint32_t pid, uint32_t uid);
/* usdt_fini - remove all probes. May sleep. */
void usdt_fini(struct usdt_process *process);
/*
 * usdt_add - make the probes that a DOF describes.
 *	helper	from dtrace_helper_parse(); the process's from now on, freed on errors too
 *	mod	name of the module
 *	flags	USDT_PID, USDT_PROGRAM, or 0
 *	numbers	of all sites of the DOF, as another engine has numbered them; NULL: number them
 * The probes are matched with clauses by usdt_match(). Return 0 with *out, -EINVAL: a name is too
 * long; -ENOMEM. With a reason in errmsg (len bytes). May sleep.
 */
int usdt_add(struct usdt_process *process, struct dtrace_helper_dof *helper, const char *mod,
	     uint32_t flags, const struct usdt_number *numbers, struct usdt_dof **out, char *errmsg,
	     size_t len);
/*
 * usdt_is_duplicate - return whether other DOF of the process have all that a DOF has: its sites,
 * or without any, its ustack helpers.
 */
bool usdt_is_duplicate(const struct usdt_process *process, const struct usdt_dof *dof);
/* usdt_owns - return whether a location has no sites but those of a DOF, and is no stop point. */
bool usdt_owns(const struct usdt_dof *dof, const struct usdt_location *location);
/* usdt_match - match new probes with the clauses of all sessions. May sleep. */
void usdt_match(struct usdt_process *process);
/* usdt_remove - remove a DOF, with the probes that have no site left. May sleep. */
void usdt_remove(struct usdt_process *process, struct usdt_dof *dof);
/* An ECB of the process's probes. */
struct usdt_ecb {
	uint32_t epid;
	uint32_t probe;	   /* its number in the process; UINT32_MAX: ERROR */
	uint32_t enabling; /* of the session, from 0 */
	uint32_t clause;   /* of the enabling, from 0 */
	struct ecb *ecb;   /* valid during the call */
};
/*
 * usdt_each_ecb - call func for each ECB that a session has at the process's probes and at ERROR.
 * func must not sleep.
 */
void usdt_each_ecb(const struct usdt_process *process, dtrace_state_t *state,
		   void (*func)(void *arg, const struct usdt_ecb *ecb), void *arg);
/*
 * usdt_stop_set - make a stop point at an address.
 *	stop	its number, not 0
 *	index	of the location, as another engine has numbered it; UINT32_MAX: number it
 * Return the location; NULL without memory, or if there is a stop point already. May sleep.
 */
struct usdt_location *usdt_stop_set(struct usdt_process *process, uint64_t addr, uint32_t stop,
				    uint32_t index);
/*
 * usdt_stop_clear - remove the stop point of a location, and the location if it has no sites. May
 * sleep.
 */
void usdt_stop_clear(struct usdt_process *process, struct usdt_location *location);
/*
 * usdt_enabled - return whether a probe of the location is enabled, or threads stop there. Any
 * context.
 */
bool usdt_enabled(const struct usdt_location *location);

#endif
