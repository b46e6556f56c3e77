/* SPDX-License-Identifier: MIT */
/*
 * probes.c - the library of dtrace-probes.h: manages the providers and probes that a program has
 * made, and their registrations.
 */
#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <dtrace/limits.h>

/* The library exports the declarations of the header. */
#pragma GCC visibility push(default)
#include <dtrace-probes.h>
#pragma GCC visibility pop

#include "dofbuild.h"
#include "kept.h"
#include "registrar.h"
#include "site.h"
#include "slab.h"

#define NAME_MAXLEN 52	 /* of a provider's name; a process number is appended to it */
#define PORTION	    2048 /* probes of a registration; their DOF is below its limit */
#define MANY	    32	 /* number of registrations that are not full before they are merged */

_Static_assert(DTP_MAXARGS == DTRACE_USDT_MAXARGS, "the header and the engine must agree");

/* States of a probe without a registration; otherwise the probe has the registration's number. */
#define NEVER	-1 /* the next dtp_provider_enable() shows it */
#define LOST	-2 /* its registration has ended; the next one includes it */
#define REMOVED -3

struct probe {
	dtp_probe_t public;	    /* first: what programs have */
	struct probe *next, **link; /* in its provider; the pointer to this one */
	struct dtp_provider *provider;
	struct slab_object object;
	int registration;
	char *function, *name;
	unsigned int nargs;
	bool typed;
	char *types[];
};

struct dtp_provider {
	struct probe *probes, **last;
	struct slab *slabs;
	unsigned int nprobes, nregistrations;
	char name[NAME_MAXLEN + 1], module[DTRACE_MODNAMELEN];
};

/* Serialises all changes. Firing takes no lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void lock_take(void)
{
	pthread_mutex_lock(&lock);
}

static void lock_give(void)
{
	pthread_mutex_unlock(&lock);
}

/*
 * Hold the lock during fork, so that the child does not inherit the state of an unfinished change.
 */
static void lock_prepare(void)
{
	pthread_atfork(lock_take, lock_give, lock_give);
}

/* ---- what the module knows ---- */

/* Make the probes of a registration wait for another one. */
static void registration_leave(struct dtp_provider *p, int registration)
{
	for (struct probe *probe = p->probes; probe; probe = probe->next)
		if (probe->registration == registration)
			probe->registration = LOST;
}

/*
 * Remove a registration, or note that it has ended by itself. Return false on other errors: then
 * sessions still have it, too. Its DOF goes first: a session that begins and finds it will hear of
 * its end.
 */
static bool registration_remove(struct registrar *r, int registration)
{
	if (registrar_remove(r, registration) && errno != ENOENT)
		return false;
	kept_end(registration);
	join_remove(&r->join, registration);
	return true;
}

/* End a registration. Its probes become LOST. */
static bool registration_end(struct dtp_provider *p, struct registrar *r, int registration)
{
	if (!registration_remove(r, registration))
		return false;
	registration_leave(p, registration);
	p->nregistrations--;
	return true;
}

static bool registrations_end(struct dtp_provider *p, struct registrar *r)
{
	for (struct probe *probe = p->probes; probe; probe = probe->next)
		if (probe->registration >= 0 && !registration_end(p, r, probe->registration))
			return false;
	return true;
}

static void probe_describe(const struct probe *probe, struct dofbuild *b)
{
	static const char *const untyped[DTP_MAXARGS] = {[0 ... DTP_MAXARGS - 1] = "uint64_t"};
	const char *const *types = probe->typed ? (const char *const *)probe->types : untyped;
	dof_argloc_t locs[DTP_MAXARGS];

	for (unsigned int i = 0; i < probe->nargs; i++)
		locs[i] = (dof_argloc_t){
			.al_kind = DOF_LOC_MEM,
			.al_size = sizeof(uint64_t),
			.al_base = site_args,
			.al_index = DOF_REG_NONE,
			.al_scale = 1,
			.al_disp = i * sizeof(uint64_t),
		};
	dofbuild_probe(b, &(struct dofbuild_probe){
				  .provider = probe->provider->name,
				  .name = probe->name,
				  .func = probe->function,
				  .pc = probe->object.pc,
				  .sema = (uintptr_t)probe->object.semaphore,
				  .nargs = probe->nargs,
				  .types = types,
				  .locs = locs,
			  });
}

static bool probe_waits(const struct probe *probe, bool never)
{
	return probe->registration == LOST || (never && probe->registration == NEVER);
}

static unsigned int portion_describe(const struct dtp_provider *p, struct dofbuild *b, bool never)
{
	unsigned int n = 0;

	for (const struct probe *probe = p->probes; probe && n < PORTION; probe = probe->next)
		if (probe_waits(probe, never)) {
			probe_describe(probe, b);
			n++;
		}
	return n;
}

/* Note that the first n waiting probes are part of the registration. */
static void portion_begun(struct dtp_provider *p, int registration, unsigned int n, bool never)
{
	for (struct probe *probe = p->probes; n; probe = probe->next)
		if (probe_waits(probe, never)) {
			probe->registration = registration;
			n--;
		}
	p->nregistrations++;
}

/*
 * Register the contents of b, and keep them for sessions that begin later. If that is impossible,
 * only the module and the sessions that are there know them. Return as registrar_add() does.
 */
static int registration_add(const struct dtp_provider *p, struct registrar *r, struct dofbuild *b)
{
	const size_t size = dofbuild_size(b);
	struct kept *kept = kept_create(size);
	int registration;

	if (!kept && r->fd < 0)
		r->error = errno;
	registration = registrar_add(b, size, r, p->module, kept ? kept_dof(kept) : NULL);
	if (kept && registration >= 0)
		kept_show(kept, &lock, registration, p->module);
	else
		kept_free(kept);
	return registration;
}

/*
 * Begin one registration. Return 1 if other probes may still wait, 0 if none waits, -1 and errno.
 */
static int portion_begin(struct dtp_provider *p, struct registrar *r, bool never)
{
	struct registrar_chunk *chunks = NULL;
	int registration = -1, error;
	struct dofbuild b;
	unsigned int n;

	dofbuild_init(&b, OPERANDS_HERE, registrar_alloc, &chunks);
	n = portion_describe(p, &b, never);
	if (n)
		registration = registration_add(p, r, &b);
	error = errno;
	registrar_free(chunks);
	errno = error;
	if (registration < 0)
		return n ? -1 : 0;
	portion_begun(p, registration, n, never);
	return n == PORTION;
}

/* Register all waiting probes: LOST ones, and with never also NEVER ones. */
static int registrations_begin(struct dtp_provider *p, struct registrar *r, bool never)
{
	int more;

	do
		more = portion_begin(p, r, never);
	while (more > 0);
	return more;
}

/* Where the module is there, make probes that only sessions know wait for a registration. */
static void locals_end(struct dtp_provider *p, struct registrar *r)
{
	for (struct probe *probe = p->probes; probe && r->fd >= 0; probe = probe->next)
		if (probe->registration >= 0 && registrar_is_local(probe->registration))
			registration_end(p, r, probe->registration);
}

static int provider_enable(struct dtp_provider *p)
{
	struct registrar r;
	int result = -1;

	if (secure_getenv("DTRACE_DOF_INIT_DISABLE")) {
		errno = ECANCELED;
		return -1;
	}
	registrar_open(&r, &lock);
	locals_end(p, &r);
	if (p->nregistrations < MANY + p->nprobes / PORTION || registrations_end(p, &r))
		result = registrations_begin(p, &r, true);
	registrar_close(&r);
	return result;
}

/* Return whether the module has a registration of the provider. */
static bool module_has(const struct dtp_provider *p)
{
	for (const struct probe *probe = p->probes; probe; probe = probe->next)
		if (probe->registration >= 0 && !registrar_is_local(probe->registration))
			return true;
	return false;
}

static int provider_disable(struct dtp_provider *p)
{
	struct registrar r;
	int result = -1;

	if (!p->nregistrations)
		return 0;
	if (registrar_open(&r, &lock) || !module_has(p))
		result = registrations_end(p, &r) ? 0 : -1;
	registrar_close(&r);
	return result;
}

/*
 * Register the neighbours of a probe anew before their common registration ends, so that no firing
 * is lost. If the limits do not permit both registrations, do so afterwards.
 */
static int registration_renew(struct dtp_provider *p, struct registrar *r, struct probe *without)
{
	int registration = without->registration, begun;

	without->registration = REMOVED;
	registration_leave(p, registration);
	begun = registrations_begin(p, r, false);
	if (!registration_remove(r, registration)) {
		without->registration = registration;
		return -1;
	}
	p->nregistrations--;
	return begun ? registrations_begin(p, r, false) : 0;
}

static int probe_remove(struct probe *probe)
{
	struct registrar r;
	int result = -1;

	if (probe->registration < 0) {
		probe->registration = REMOVED;
		return 0;
	}
	if (registrar_open(&r, &lock) || registrar_is_local(probe->registration))
		result = registration_renew(probe->provider, &r, probe);
	registrar_close(&r);
	return result;
}

int dtp_provider_enable(dtp_provider_t *provider)
{
	int result;

	lock_take();
	result = provider_enable(provider);
	lock_give();
	return result;
}

int dtp_provider_disable(dtp_provider_t *provider)
{
	int result;

	lock_take();
	result = provider_disable(provider);
	lock_give();
	return result;
}

int dtp_probe_remove(dtp_probe_t *probe)
{
	int result;

	lock_take();
	result = probe_remove((struct probe *)probe);
	lock_give();
	return result;
}

/* ---- names ---- */

/* Check for 1 to max characters, none of which ends a field of a probe's name. */
static bool name_valid(const char *name, size_t max)
{
	size_t len = name ? strnlen(name, max + 1) : 0;

	for (size_t i = 0; i < len; i++)
		if (!isascii(name[i]) || !isgraph(name[i]) || name[i] == ':')
			return false;
	return len && len <= max;
}

static bool provider_name_valid(const char *name)
{
	if (!name_valid(name, NAME_MAXLEN) || isdigit(name[0]) || isdigit(name[strlen(name) - 1]))
		return false;
	if (strcmp(name, "pid") == 0) /* pid123 has the probes of functions */
		return false;
	for (; *name; name++)
		if (!isalnum(*name) && *name != '_')
			return false;
	return true;
}

static bool types_valid(unsigned int nargs, const char *const *types)
{
	for (unsigned int i = 0; types && i < nargs; i++)
		if (!types[i] || !types[i][0] ||
		    strnlen(types[i], DTRACE_ARGTYPELEN) == DTRACE_ARGTYPELEN)
			return false;
	return true;
}

/* ---- what the program has ---- */

dtp_provider_t *dtp_provider_create(const char *name, const char *module)
{
	struct dtp_provider *p;

	if (!provider_name_valid(name) || !name_valid(module, DTRACE_MODNAMELEN - 1)) {
		errno = EINVAL;
		return NULL;
	}
	pthread_once(&once, lock_prepare);
	p = calloc(1, sizeof *p);
	if (!p)
		return NULL;
	strcpy(p->name, name);
	strcpy(p->module, module);
	p->last = &p->probes;
	return p;
}

/* Free a probe that is in no list and not in use. */
static void probe_destroy(struct probe *probe)
{
	for (unsigned int i = 0; i < probe->nargs && probe->typed; i++)
		free(probe->types[i]);
	free(probe->function);
	free(probe->name);
	free(probe);
}

/* Create a probe with copies of all strings. Return NULL if there is no memory. */
static struct probe *probe_create(const char *function, const char *name, unsigned int nargs,
				  const char *const *types)
{
	struct probe *probe = calloc(1, sizeof *probe + nargs * sizeof probe->types[0]);
	bool complete;

	if (!probe)
		return NULL;
	probe->registration = NEVER;
	probe->nargs = nargs;
	probe->typed = types;
	probe->function = strdup(function);
	probe->name = strdup(name);
	complete = probe->function && probe->name;
	for (unsigned int i = 0; i < nargs && types; i++) {
		probe->types[i] = strdup(types[i]);
		complete = complete && probe->types[i];
	}
	if (complete)
		return probe;
	probe_destroy(probe);
	return NULL;
}

static bool probe_link(struct probe *probe, struct dtp_provider *p)
{
	if (!slab_take(&p->slabs, &probe->object))
		return false;
	probe->public.site = probe->object.site;
	probe->public.semaphore = probe->object.semaphore;
	probe->provider = p;
	probe->link = p->last;
	*p->last = probe;
	p->last = &probe->next;
	p->nprobes++;
	return true;
}

static void probe_unlink(struct probe *probe)
{
	*probe->link = probe->next;
	if (probe->next)
		probe->next->link = probe->link;
	else
		probe->provider->last = probe->link;
	probe->provider->nprobes--;
}

dtp_probe_t *dtp_probe_add(dtp_provider_t *provider, const char *function, const char *name,
			   unsigned int nargs, const char *const *types)
{
	struct probe *probe;
	bool linked;

	if (nargs > DTP_MAXARGS) {
		errno = E2BIG;
		return NULL;
	}
	if (!name_valid(function, DTRACE_FUNCNAMELEN - 1) ||
	    !name_valid(name, DTRACE_NAMELEN - 1) || !types_valid(nargs, types)) {
		errno = EINVAL;
		return NULL;
	}
	probe = probe_create(function, name, nargs, types);
	if (!probe)
		return NULL;
	lock_take();
	linked = probe_link(probe, provider);
	lock_give();
	if (linked)
		return &probe->public;
	probe_destroy(probe);
	return NULL;
}

void dtp_probe_free(dtp_probe_t *public)
{
	struct probe *probe = (struct probe *)public;

	if (!probe)
		return;
	lock_take();
	probe_remove(probe);
	probe_unlink(probe);
	if (probe->registration < 0) /* else the module may still have its site */
		slab_give(&probe->object);
	lock_give();
	probe_destroy(probe);
}

void dtp_provider_destroy(dtp_provider_t *provider)
{
	struct probe *next;

	if (!provider)
		return;
	lock_take();
	provider_disable(provider);
	for (struct probe *probe = provider->probes; probe; probe = probe->next)
		if (probe->registration >= 0) /* the module could not be told */
			kept_end(probe->registration);
	lock_give();
	for (struct probe *probe = provider->probes; probe; probe = next) {
		next = probe->next;
		probe_destroy(probe);
	}
	slab_free(provider->slabs);
	free(provider);
}
