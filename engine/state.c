/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * state.c - sessions: options, enabling, go and stop, snapshots, descriptions.
 *
 * A session's own lock (snap_lock) makes its requests happen one at a time, so that a snapshot can
 * be copied out without the engine lock. Only this lock is held while a consumer's memory is
 * accessed: only requests of the same session may wait for it, and killably. Work for all sessions
 * only tries it. Order: snap_lock, sync lock, engine lock.
 */
#include "account.h"
#include "agg.h"
#include "buffer.h"
#include "difo.h"
#include "dof_read.h"
#include "enabling.h"
#include "engine_impl.h"
#include "fire.h"
#include "probe.h"
#include "speculation.h"
#include "state.h"
#include "table.h"
#include "vtime.h"

/* ---- a session's own lock ---- */

/* A reader may hold the lock while it waits for user memory: others wait killably. */
int state_lock(dtrace_state_t *st)
{
	return port_mutex_lock_killable(&st->snap_lock);
}

void state_unlock(dtrace_state_t *st)
{
	port_mutex_unlock(&st->snap_lock);
}

/* ---- options ---- */

static const struct {
	uint64_t value, min, max; /* default, and what may be asked for */
	const char *name;
} state_options[DTRACEOPT_MAX] = {
	[DTRACEOPT_BUFSIZE] = {DTRACE_BUFSIZE_DEFAULT, 1, 1ULL << 40, "bufsize"},
	[DTRACEOPT_BUFPOLICY] = {DTRACEOPT_BUFPOLICY_SWITCH, 0, DTRACEOPT_BUFPOLICY_SWITCH,
				 "bufpolicy"},
	[DTRACEOPT_DYNVARSIZE] = {DTRACE_DYNVARSIZE_DEFAULT, 1, 1ULL << 40, "dynvarsize"},
	[DTRACEOPT_AGGSIZE] = {DTRACE_AGGSIZE_DEFAULT, 1, 1ULL << 40, "aggsize"},
	[DTRACEOPT_SPECSIZE] = {DTRACE_SPECSIZE_DEFAULT, 1, 1ULL << 40, "specsize"},
	[DTRACEOPT_NSPEC] = {DTRACE_NSPEC_DEFAULT, 0, 4096, "nspec"},
	[DTRACEOPT_STRSIZE] = {DTRACE_STRSIZE_DEFAULT, 2, DTRACE_STRSIZE_MAX, "strsize"},
	[DTRACEOPT_CLEANRATE] = {DTRACE_CLEANRATE_DEFAULT, 0, UINT64_MAX, "cleanrate"},
	[DTRACEOPT_BUFRESIZE] = {DTRACEOPT_BUFRESIZE_AUTO, 0, DTRACEOPT_BUFRESIZE_MANUAL,
				 "bufresize"},
	[DTRACEOPT_STACKFRAMES] = {DTRACE_STACKFRAMES_DEFAULT, 1, DTRACE_STACKFRAMES_MAX,
				   "stackframes"},
	[DTRACEOPT_USTACKFRAMES] = {DTRACE_USTACKFRAMES_DEFAULT, 1, DTRACE_STACKFRAMES_MAX,
				    "ustackframes"},
	[DTRACEOPT_JSTACKFRAMES] = {DTRACE_JSTACKFRAMES_DEFAULT, 1, DTRACE_STACKFRAMES_MAX,
				    "jstackframes"},
	[DTRACEOPT_JSTACKSTRSIZE] = {DTRACE_JSTACKSTRSIZE_DEFAULT, 0, DTRACE_STRSIZE_MAX,
				     "jstackstrsize"},
	[DTRACEOPT_BUFLIMIT] = {50, 1, 100, "buflimit"},
	[DTRACEOPT_UNWIND] = {DTRACEOPT_UNWIND_TABLES, 0, DTRACEOPT_UNWIND_FP, "unwind"},
	[DTRACEOPT_FOLLOWFORK] = {0, 0, 1, "followfork"},
	[DTRACEOPT_DESTRUCTIVE] = {0, 0, UINT64_MAX, "destructive"},
};

/* Set an option. -EINVAL with a message. [snap_lock] */
static int state_set_option(dtrace_state_t *st, uint32_t option, uint64_t value,
			    struct dof_err *err)
{
	uint64_t min, max;

	if (option >= DTRACEOPT_MAX)
		return ERR(err, -EINVAL, "option %u is unknown", option);
	if (value == DTRACEOPT_UNSET)
		return 0;
	min = state_options[option].min;
	max = option == DTRACEOPT_CPU ? port_ncpus() - 1 : state_options[option].max;
	if ((state_options[option].name || option == DTRACEOPT_CPU) && (value < min || value > max))
		return ERR(err, -EINVAL, "option %s: %llu is not between %llu and %llu",
			   option == DTRACEOPT_CPU ? "cpu" : state_options[option].name,
			   (unsigned long long)value, (unsigned long long)min,
			   (unsigned long long)max);
	if (option == DTRACEOPT_CLEANRATE && value < DTRACE_CLEANRATE_MIN)
		value = DTRACE_CLEANRATE_MIN;
	if (option == DTRACEOPT_CLEANRATE && value > DTRACE_CLEANRATE_MAX)
		value = DTRACE_CLEANRATE_MAX;
	st->opts[option] = value;
	return 0;
}

/* Read the options of a DOF. -EINVAL with a message. [snap_lock] */
static int state_read_options(dtrace_state_t *st, const struct dof *dof)
{
	dof_optdesc_t od;
	dof_sec_t sec;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < dof->hdr.dofh_secnum; i++) {
		rc = relax_at(i);
		if (rc)
			break;
		dof_section_any(dof, i, &sec);
		if (sec.dofs_type != DOF_SECT_OPTDESC)
			continue;
		rc = dof_section(dof, i, DOF_SECT_OPTDESC, 0, &sec);
		for (uint64_t n = 0; !rc && n < dof_entries(&sec, sizeof(od)); n++) {
			rc = relax_at(n);
			if (rc)
				break;
			dof_entry(dof, &sec, n, &od, sizeof(od));
			rc = state_set_option(st, od.dofo_option, od.dofo_value, dof->err);
		}
	}
	st->strsize = (uint32_t)st->opts[DTRACEOPT_STRSIZE];
	return rc;
}

int dtrace_state_optget(dtrace_state_t *st, dtrace_optget_t *opt)
{
	int rc;

	if (opt->dtog_option >= DTRACEOPT_MAX)
		return -EINVAL;
	rc = state_lock(st);
	if (rc)
		return rc;
	opt->dtog_value = st->opts[opt->dtog_option];
	state_unlock(st);
	return 0;
}

int dtrace_state_conf(dtrace_state_t *st, dtrace_conf_t *conf)
{
	memset(conf, 0, sizeof(*conf));
	conf->dtc_difversion = DIF_VERSION;
	conf->dtc_difintregs = DIF_DIR_NREGS;
	conf->dtc_diftupregs = DIF_DTR_NREGS;
	conf->dtc_ncpus = port_ncpus();
	conf->dtc_version = DTRACE_IOCTL_VERSION;
	conf->dtc_privs = st->cred.privs;
	return 0;
}

/* ---- life ---- */

int dtrace_state_create(const struct dtrace_cred *cred, void *cookie, dtrace_state_t **statep)
{
	dtrace_state_t *st = port_alloc(sizeof(*st));
	int rc = -ENOMEM;

	if (!st)
		return rc;
	st->account = dtrace_account_get(cred->account, cred->privileged);
	if (!st->account)
		goto no_account;
	rc = dtrace_account_charge(st->account, DTRACE_RES_SESSIONS, 1, NULL, 0);
	if (rc)
		goto no_session;
	rc = state_charge(st, sizeof(*st) + cred->bytes, &(struct dof_err){0});
	if (rc)
		goto no_memory;
	st->cred = *cred;
	st->cookie = cookie;
	port_mutex_init(&st->snap_lock);
	link_init(&st->enablings);
	link_init(&st->retired);
	link_init(&st->intervals);
	for (uint32_t i = 0; i < DTRACEOPT_MAX; i++)
		st->opts[i] = state_options[i].name ? state_options[i].value : DTRACEOPT_UNSET;
	st->strsize = DTRACE_STRSIZE_DEFAULT;
	st->slice = cred->privileged ? DTRACE_WORK_SLICE : DTRACE_WORK_SLICE_USER;
	engine_lock();
	st->number = ++engine.state_number;
	link_append(&engine.states, &st->link);
	engine_unlock();
	*statep = st;
	return 0;

no_memory:
	dtrace_account_uncharge(st->account, DTRACE_RES_SESSIONS, 1);
no_session:
	dtrace_account_put(st->account);
no_account:
	port_free(st);
	return rc;
}

int state_charge(dtrace_state_t *st, uint64_t n, struct dof_err *err)
{
	int rc = dtrace_account_charge(st->account, DTRACE_RES_MEMORY, n, err->msg, err->len);

	if (!rc)
		port_xadd(&st->charged, n);
	return rc;
}

void state_uncharge(dtrace_state_t *st, uint64_t n)
{
	port_xadd(&st->charged, -n);
	dtrace_account_uncharge(st->account, DTRACE_RES_MEMORY, n);
}

/* Free all variables. */
static void state_free_vars(dtrace_state_t *st)
{
	struct dynvar **dv = st->dynvars;

	if (dv[DIFV_SCOPE_THREAD] != dv[DIFV_SCOPE_GLOBAL])
		dynvar_free(dv[DIFV_SCOPE_THREAD]);
	dynvar_free(dv[DIFV_SCOPE_GLOBAL]);
	if (!st->shared)
		port_free(st->globals);
	dv[DIFV_SCOPE_GLOBAL] = dv[DIFV_SCOPE_THREAD] = NULL;
	st->globals = NULL;
}

/* Free the buffers of all CPUs, and the array; cpus may be NULL. */
static void state_free_cpus(dtrace_state_t *st, struct state_cpu *cpus)
{
	for (uint32_t i = 0; cpus && i < port_ncpus(); i++) {
		buffer_fini(&cpus[i].buffer);
		agg_buffer_fini(&cpus[i].aggs);
		port_free(cpus[i].locals);
		port_free(cpus[i].strtok);
	}
	port_free(cpus);
	speculation_fini(st);
	state_free_vars(st);
	state_uncharge(st, st->cpus_charged);
	st->cpus_charged = 0;
}

/*
 * Return whether providers leave work of enabling and disabling the session's probes to their sync
 * operations. A session without such probes does not wait for what other sessions enable.
 */
static bool state_synced(const dtrace_state_t *st)
{
	bool synced;

	engine_lock();
	synced = st->synced;
	engine_unlock();
	return synced;
}

/*
 * Have providers do what disabling the session's probes left to their sync operations. If another
 * thread is doing such work, leave it to that thread.
 */
static void state_sync_soon(const dtrace_state_t *st)
{
	if (state_synced(st))
		provider_sync_soon();
}

void dtrace_state_destroy(dtrace_state_t *st)
{
	struct deferred *deferred;
	struct link *l, *n;

	engine_lock();
	link_remove(&st->link);
	if (st->vtime)
		vtime_unref();
	engine_unlock();
	deferred = enabling_drop(st, NULL);
	/* while all of the kernel's functions are hooked, freeing memory takes long */
	state_sync_soon(st);
	deferred_free(deferred);
	port_grace_period();
	state_free_cpus(st, st->cpus);
	link_for_each_safe(l, n, &st->enablings)
		enabling_free(st, link_entry(l, struct enabling, link));
	for (uint32_t i = 0; i < st->naggs; i++)
		port_free(st->aggs[i]);
	port_free(st->search);
	port_free(st->aggs);
	var_space_free(&st->vars);
	htable_free(&st->ecbs);
	htable_free(&st->pairs);
	state_uncharge(st, st->vars_charged + st->tables_charged + sizeof(*st) + st->cred.bytes);
	PORT_WARN_ON(st->charged);
	dtrace_account_uncharge(st->account, DTRACE_RES_SESSIONS, 1);
	dtrace_account_put(st->account);
	port_free(st);
}

/* ---- enabling ---- */

/*
 * Wait, in the user's turn, until providers have enabled what was left to their sync operations.
 * -EINTR.
 */
static int state_sync(const dtrace_state_t *st)
{
	int rc;

	if (!state_synced(st))
		return 0;
	rc = account_turn_begin(st->account);
	if (rc)
		return rc;
	rc = provider_sync_killable();
	account_turn_end(st->account);
	return rc;
}

/*
 * Add an enabling and attach its clauses. -EDQUOT or -ESHUTDOWN with a message, or -EINTR: nothing
 * of it stays. No probe fires for the session yet. [snap_lock]
 */
static int state_add_enabling(dtrace_state_t *st, struct enabling *en, dtrace_enable_io_t *io,
			      struct dof_err *err)
{
	int rc;

	STATE_ASSERT_LOCKED(st);
	engine_lock();
	link_append(&st->enablings, &en->link);
	st->nenablings++;
	engine_unlock();
	io->n_desc = en->nclauses;
	rc = enabling_match(st, en, &io->n_matched, err);
	if (!rc)
		rc = state_sync(st);
	if (rc) {
		engine_lock();
		link_remove(&en->link);
		st->nenablings--;
		engine_unlock();
		enabling_undo(st, en);
		io->n_matched = io->n_desc = 0;
		state_sync_soon(st);
	}
	return rc;
}

/*
 * Take the right to see the kernel from a session if lockdown has come since it began. [snap_lock]
 */
static void state_note_lockdown(dtrace_state_t *st)
{
	STATE_ASSERT_LOCKED(st);
	if (st->cred.privs & DTRACE_PRIV_KERNEL && port_locked_down(PORT_LOCKDOWN_READ))
		st->cred.privs =
			(st->cred.privs & ~(uint32_t)DTRACE_PRIV_KERNEL) | DTRACE_PRIV_LOCKED;
}

/* Enable a program as dtrace_state_enable() says. [snap_lock] */
static int state_enable_dof(dtrace_state_t *st, const void *buf, size_t size,
			    dtrace_enable_io_t *io, struct dof_err *err)
{
	uint64_t opts[DTRACEOPT_MAX];
	struct enabling *en;
	struct dof dof;
	int rc;

	state_note_lockdown(st);
	memcpy(opts, st->opts, sizeof(opts));
	rc = dof_open(&dof, buf, size, err);
	if (!rc)
		rc = state_read_options(st, &dof);
	if (!rc)
		rc = enabling_create(st, &dof, &io->error_desc, &en);
	if (!rc)
		rc = state_add_enabling(st, en, io, err);
	if (rc) {
		memcpy(st->opts, opts, sizeof(opts));
		st->strsize = (uint32_t)opts[DTRACEOPT_STRSIZE];
	}
	return rc;
}

int dtrace_state_enable(dtrace_state_t *st, const void *dof, size_t size, dtrace_enable_io_t *io,
			char *errmsg, size_t len)
{
	struct dof_err err = {.msg = errmsg, .len = len};
	int rc;

	io->n_matched = io->n_desc = 0;
	io->error_desc = -1;
	if (errmsg && len)
		errmsg[0] = '\0';
	if (size > DTRACE_DOF_MAXSIZE)
		return ERR(&err, -E2BIG, "DOF: %llu bytes, allowed are %u",
			   (unsigned long long)size, DTRACE_DOF_MAXSIZE);
	rc = state_lock(st);
	if (rc)
		return rc;
	if (st->activity != DTRACE_ACTIVITY_INACTIVE || st->cpus)
		rc = ERR(&err, -EBUSY, "tracing has begun: no clauses can be added");
	else if (st->nenablings >= DTRACE_ENABLINGS_MAX)
		rc = ERR(&err, -E2BIG, "a session may have %u programs", DTRACE_ENABLINGS_MAX);
	else
		rc = state_enable_dof(st, dof, size, io, &err);
	state_unlock(st);
	return rc;
}

/* ---- go ---- */

/* The needs of the clauses. */
struct state_needs {
	uint32_t largest; /* record */
	bool speculates;  /* they get speculations */
	bool strtok;	  /* they call it */
};

/*
 * Find out which kinds of memory the clauses of a session need, of which there may be millions.
 * -EINTR. [snap_lock]
 */
static int state_survey(const dtrace_state_t *st, struct state_needs *needs)
{
	const struct enabling *en;
	uint64_t n = 0;
	struct link *l;

	memset(needs, 0, sizeof(*needs));
	link_for_each(l, &st->enablings) {
		en = link_entry(l, struct enabling, link);
		for (const struct body *b = en->bodies; b; b = b->next) {
			if (b->records && b->size > needs->largest)
				needs->largest = b->size;
			if (relax_at(n++))
				return -EINTR;
		}
		for (const struct difo *d = en->difos; d; d = d->next) {
			needs->speculates |= d->speculates;
			needs->strtok |= d->strtok;
			if (relax_at(n++))
				return -EINTR;
		}
	}
	return 0;
}

/* Return the bytes that END may record. [L] */
static uint64_t state_end_reserve(const dtrace_state_t *st)
{
	const struct ecb_list *list = engine.end->ecbs;
	uint64_t n = 0;

	ENGINE_ASSERT_LOCKED();
	for (uint32_t i = 0; list && i < list->n; i++)
		if (list->ecbs[i] && list->ecbs[i]->state == st && list->ecbs[i]->body->records)
			n += list->ecbs[i]->body->size;
	return n;
}

/* Return how full a buffer of that size may become before a consumer in poll is woken. */
static uint32_t state_limit(const dtrace_state_t *st, uint32_t option)
{
	return (uint32_t)(st->opts[option] * st->opts[DTRACEOPT_BUFLIMIT] / 100);
}

/* Return the bytes that strtok() needs on each CPU. */
static uint64_t state_strtok_bytes(const dtrace_state_t *st)
{
	return sizeof(struct strtok) + st->strsize;
}

/* Allocate the memory of one CPU. reserve: bytes for END's records. -ENOMEM. */
static int state_alloc_cpu(dtrace_state_t *st, struct state_cpu *sc, uint32_t reserve,
			   const struct state_needs *needs)
{
	uint32_t locals = st->vars.scopes[DIFV_SCOPE_LOCAL].bytes;
	uint32_t policy = (uint32_t)st->opts[DTRACEOPT_BUFPOLICY];
	int rc = buffer_init(&sc->buffer, policy, (uint32_t)st->opts[DTRACEOPT_BUFSIZE], sc->cpu);

	sc->buffer.limit = state_limit(st, DTRACEOPT_BUFSIZE);
	sc->buffer.reserve = policy == DTRACEOPT_BUFPOLICY_FILL ? reserve : 0;
	if (!rc && st->naggs)
		rc = agg_buffer_init(&sc->aggs, (uint32_t)st->opts[DTRACEOPT_AGGSIZE], sc->cpu);
	sc->aggs.limit = state_limit(st, DTRACEOPT_AGGSIZE);
	if (!rc && locals) {
		sc->locals = port_alloc_cpu(locals, sc->cpu);
		rc = sc->locals ? 0 : -ENOMEM;
	}
	if (!rc && needs->strtok) {
		sc->strtok = port_alloc_cpu(state_strtok_bytes(st), sc->cpu);
		rc = sc->strtok ? 0 : -ENOMEM;
	}
	sc->on = !rc;
	return rc;
}

/* Return whether the session traces a CPU. */
static bool state_uses_cpu(const dtrace_state_t *st, uint32_t cpu)
{
	return st->opts[DTRACEOPT_CPU] == DTRACEOPT_UNSET || st->opts[DTRACEOPT_CPU] == cpu;
}

/*
 * Allocate the memory of all CPUs that the session traces. -ENOMEM: the caller frees what there is.
 */
static int state_alloc_cpus(dtrace_state_t *st, struct state_cpu *cpus, uint32_t reserve,
			    const struct state_needs *needs)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < port_ncpus(); i++) {
		cpus[i].cpu = i;
		if (!state_uses_cpu(st, i))
			continue;
		cpus[i].absent = !port_cpu_online(i);
		rc = port_relax();
		if (!rc && !cpus[i].absent)
			rc = state_alloc_cpu(st, &cpus[i], reserve, needs);
	}
	return rc;
}

/* Allocate variables and speculations. -ENOMEM. */
static int state_alloc_shared(dtrace_state_t *st, const struct state_needs *needs)
{
	uint32_t globals = st->vars.scopes[DIFV_SCOPE_GLOBAL].bytes;
	struct dynvar *dv;

	if (globals) {
		st->globals = port_alloc(globals);
		if (!st->globals)
			return -ENOMEM;
	}
	if (st->vars.max_value) {
		dv = dynvar_create(&st->vars, st->opts[DTRACEOPT_DYNVARSIZE], NULL,
				   (uint32_t)port_random());
		if (!dv)
			return -ENOMEM;
		st->dynvars[DIFV_SCOPE_GLOBAL] = st->dynvars[DIFV_SCOPE_THREAD] = dv;
	}
	return needs->speculates ? speculation_init(st, (uint32_t)st->opts[DTRACEOPT_NSPEC],
						    (uint32_t)st->opts[DTRACEOPT_SPECSIZE])
				 : 0;
}

/* Return the bytes that firings of the session need with the current sizes. */
static uint64_t state_bytes(const dtrace_state_t *st, const struct state_needs *needs)
{
	bool twice = st->opts[DTRACEOPT_BUFPOLICY] == DTRACEOPT_BUFPOLICY_SWITCH;
	uint64_t ncpus = st->opts[DTRACEOPT_CPU] == DTRACEOPT_UNSET ? port_ncpus() : 1;
	uint64_t per_cpu =
		st->opts[DTRACEOPT_BUFSIZE] * (1 + twice) + st->vars.scopes[DIFV_SCOPE_LOCAL].bytes;
	uint64_t bytes =
		port_ncpus() * sizeof(struct state_cpu) + st->vars.scopes[DIFV_SCOPE_GLOBAL].bytes;

	if (st->naggs)
		per_cpu += st->opts[DTRACEOPT_AGGSIZE] * 2;
	if (needs->strtok)
		per_cpu += state_strtok_bytes(st);
	if (needs->speculates)
		bytes += speculation_bytes((uint32_t)st->opts[DTRACEOPT_NSPEC],
					   st->opts[DTRACEOPT_SPECSIZE]);
	if (st->vars.max_value)
		bytes += dynvar_bytes(&st->vars, st->opts[DTRACEOPT_DYNVARSIZE]);
	return per_cpu * ncpus + bytes;
}

/*
 * Return the bytes of all buffers and variables with the current sizes, for the limit
 * DTRACE_BUFTOTAL_MAX.
 */
static uint64_t state_total(const dtrace_state_t *st, const struct state_needs *needs)
{
	uint64_t per_cpu =
		st->opts[DTRACEOPT_BUFSIZE] * 2 + (st->naggs ? st->opts[DTRACEOPT_AGGSIZE] * 2 : 0);

	if (needs->speculates)
		per_cpu += st->opts[DTRACEOPT_NSPEC] * st->opts[DTRACEOPT_SPECSIZE];
	return per_cpu * port_ncpus() + (st->vars.max_value ? st->opts[DTRACEOPT_DYNVARSIZE] : 0);
}

/*
 * Round the size of a buffer up to a multiple of 8. Principal and speculation buffers may be as
 * small as the records.
 */
static void state_round_option(dtrace_state_t *st, uint32_t option)
{
	bool small = option == DTRACEOPT_BUFSIZE || option == DTRACEOPT_SPECSIZE;
	uint64_t min = small ? 1 : DTRACE_BUFSIZE_MIN;
	uint64_t v = st->opts[option] < min ? min : st->opts[option];

	st->opts[option] = (v + 7) & ~7ULL;
}

/* Try once to allocate all memory for firings, with the current sizes. -ENOMEM, -EDQUOT. */
static int state_alloc(dtrace_state_t *st, uint32_t reserve, const struct state_needs *needs)
{
	struct state_cpu *cpus;
	uint64_t bytes;
	int rc;

	if (state_total(st, needs) > DTRACE_BUFTOTAL_MAX)
		return -ENOMEM;
	bytes = state_bytes(st, needs);
	rc = state_charge(st, bytes, &(struct dof_err){0});
	if (rc)
		return rc;
	st->cpus_charged = bytes;
	cpus = port_alloc(port_ncpus() * sizeof(*cpus));
	if (!cpus) {
		state_free_cpus(st, NULL);
		return -ENOMEM;
	}
	rc = state_alloc_cpus(st, cpus, reserve, needs);
	if (!rc)
		rc = state_alloc_shared(st, needs);
	if (rc)
		state_free_cpus(st, cpus);
	else
		port_store_release(&st->cpus, cpus); /* others look at it without our lock */
	return rc;
}

/*
 * Allocate all memory that firings may need, with reserve bytes for END's records. With
 * bufresize=auto, halve the sizes until they fit. The engine lock is not held, since zeroing
 * gigabytes takes long. [snap_lock]
 */
static int state_alloc_fitting(dtrace_state_t *st, uint64_t reserve)
{
	static const uint8_t sizes[] = {DTRACEOPT_BUFSIZE, DTRACEOPT_AGGSIZE, DTRACEOPT_DYNVARSIZE,
					DTRACEOPT_SPECSIZE};
	struct state_needs needs;
	int rc = state_survey(st, &needs);

	STATE_ASSERT_LOCKED(st);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < sizeof(sizes); i++)
		state_round_option(st, sizes[i]);
	if (needs.largest > st->opts[DTRACEOPT_BUFSIZE])
		return -ENOSPC;
	if (needs.largest + reserve > st->opts[DTRACEOPT_BUFSIZE])
		return -E2BIG;
	for (;;) {
		rc = state_alloc(st, (uint32_t)reserve, &needs);
		if ((rc != -ENOMEM && rc != -EDQUOT) ||
		    st->opts[DTRACEOPT_BUFRESIZE] != DTRACEOPT_BUFRESIZE_AUTO)
			return rc;
		if (st->opts[DTRACEOPT_BUFSIZE] / 2 < DTRACE_BUFSIZE_MIN ||
		    st->opts[DTRACEOPT_BUFSIZE] / 2 < needs.largest + reserve)
			return rc;
		for (uint32_t i = 0; i < sizeof(sizes); i++) {
			st->opts[sizes[i]] /= 2;
			state_round_option(st, sizes[i]);
		}
	}
}

/* ---- calls of other CPUs ---- */

/* ns that the interrupt takes besides the function that it calls */
#define CALL_COST 2000

struct state_call {
	struct dtrace_account *account;
	uint32_t cpu;
	void (*fn)(void *arg);
	void *arg;
	uint64_t rest; /* ns until the user has time of the CPU again; 0: fn was called */
};

/* Call the function on this CPU, if the user has time of it left. */
static void state_call_here(void *arg)
{
	struct state_call *c = arg;
	uint64_t began = port_timestamp();

	c->rest = 0;
	if (!account_left(c->account, c->cpu, ACCOUNT_CALLS, began)) {
		c->rest = account_rest(c->account, c->cpu, ACCOUNT_CALLS, began);
		return;
	}
	c->fn(c->arg);
	account_spend(c->account, c->cpu, ACCOUNT_CALLS, port_timestamp() - began + CALL_COST);
}

int state_call(dtrace_state_t *st, uint32_t cpu, void (*fn)(void *arg), void *arg, bool wait)
{
	struct state_call c = {.account = st->account, .cpu = cpu, .fn = fn, .arg = arg};
	bool root = (st->cred.privs & DTRACE_PRIV_ALL) == DTRACE_PRIV_ALL;
	int rc = 0;

	while (!rc) {
		if (!(root ? port_xcall(cpu, fn, arg) : port_xcall(cpu, state_call_here, &c)))
			return -EAGAIN;
		if (!c.rest)
			return 0;
		rc = wait ? port_rest(c.rest) : -EAGAIN;
	}
	return rc;
}

struct state_special { /* BEGIN or END on a CPU that the session names */
	dtrace_state_t *state;
	dtrace_probe_t *probe;
	uint32_t activity, cpu;
};

/* Fire BEGIN or END on this CPU. */
static void state_fire_here(void *arg)
{
	struct state_special *s = arg;

	fire_special(s->probe, s->state, s->activity, &s->cpu);
}

/*
 * Fire BEGIN or END, on the session's only CPU if it has one. *cpu becomes the number of the CPU.
 * -EINTR: a fatal signal is pending, and the probe has not fired. [snap_lock]
 */
static int state_fire(dtrace_state_t *st, dtrace_probe_t *probe, uint32_t activity, uint32_t *cpu)
{
	struct state_special s = {.state = st, .probe = probe, .activity = activity};
	int rc = 0;

	if (st->opts[DTRACEOPT_CPU] == DTRACEOPT_UNSET)
		state_fire_here(&s);
	else
		rc = state_call(st, (uint32_t)st->opts[DTRACEOPT_CPU], state_fire_here, &s, true);
	*cpu = s.cpu;
	return rc;
}

/* ---- the deadman ---- */

void state_kill(dtrace_state_t *st)
{
	if (st->opts[DTRACEOPT_DESTRUCTIVE] == 0 &&
	    port_cas(&st->activity, DTRACE_ACTIVITY_ACTIVE, DTRACE_ACTIVITY_KILLED))
		port_wake(st->cookie);
}

/* Note that the consumer has just asked, and so is alive. */
static void state_note_alive(dtrace_state_t *st)
{
	uint64_t now = port_timestamp();

	if (st->joined)
		return;
	port_write_once(&st->asked, now);
	port_write_once(&st->alive, now);
}

void dtrace_state_deadman(dtrace_state_t *st)
{
	uint64_t now = port_timestamp(), silence = now - port_read_once(&st->asked);

	if (st->joined)
		return;
	if ((int64_t)silence < (int64_t)DTRACE_DEADMAN_USER)
		port_write_once(&st->alive, now);
	else if (silence > DTRACE_DEADMAN_USER + DTRACE_DEADMAN_TIMEOUT)
		state_kill(st);
}

/* Begin to time firings if a clause uses vtimestamp. -ENOMEM. [L] */
static int state_start_vtime(dtrace_state_t *st)
{
	struct link *l;
	bool uses = false;
	int rc;

	ENGINE_ASSERT_LOCKED();
	link_for_each(l, &st->enablings)
		uses |= link_entry(l, struct enabling, link)->vtime;
	if (!uses || st->vtime)
		return 0;
	rc = vtime_ref();
	st->vtime = !rc;
	return rc;
}

/*
 * Prepare all that firings need, as dtrace_state_go() and dtrace_state_join() say. end: END will
 * fire. [snap_lock]
 */
static int state_prepare(dtrace_state_t *st, bool end)
{
	uint64_t reserve;
	int rc;

	STATE_ASSERT_LOCKED(st);
	if (st->activity != DTRACE_ACTIVITY_INACTIVE)
		return -EBUSY;
	if (st->opts[DTRACEOPT_CPU] != DTRACEOPT_UNSET &&
	    !port_cpu_online((uint32_t)st->opts[DTRACEOPT_CPU]))
		return -ENODEV;
	engine_lock();
	rc = state_start_vtime(st);
	reserve = state_end_reserve(st);
	engine_unlock();
	/* records of END need space only in a buffer that is not read */
	if (!end || st->opts[DTRACEOPT_BUFPOLICY] != DTRACEOPT_BUFPOLICY_FILL)
		reserve = 0;
	if (!rc)
		rc = state_alloc_fitting(st, reserve);
	if (rc)
		return rc;
	if (st->opts[DTRACEOPT_CPU] != DTRACEOPT_UNSET) {
		engine_lock();
		enabling_bind(st, (uint32_t)st->opts[DTRACEOPT_CPU]);
		engine_unlock();
	}
	return 0;
}

int dtrace_state_prepare(dtrace_state_t *st)
{
	int rc = state_lock(st);

	if (rc)
		return rc;
	rc = st->cpus ? -EBUSY : state_prepare(st, true);
	state_unlock(st);
	return rc;
}

int dtrace_state_go(dtrace_state_t *st, dtrace_go_t *go)
{
	int rc = state_lock(st);

	if (rc)
		return rc;
	if (!st->cpus || st->activity != DTRACE_ACTIVITY_INACTIVE)
		rc = state_prepare(st, true);
	if (!rc) {
		state_note_alive(st);
		port_store_release(&st->activity, DTRACE_ACTIVITY_WARMUP);
		rc = state_fire(st, engine.begin, DTRACE_ACTIVITY_WARMUP, &go->dtgo_cpu);
		if (rc) {
			port_store_release(&st->activity, DTRACE_ACTIVITY_INACTIVE);
			goto out;
		}
		engine_lock();
		enabling_begin(st);
		engine_unlock();
		port_cas(&st->activity, DTRACE_ACTIVITY_WARMUP, DTRACE_ACTIVITY_ACTIVE);
	}
out:
	state_unlock(st);
	return rc;
}

int dtrace_state_join(dtrace_state_t *st)
{
	int rc = state_lock(st);

	if (rc)
		return rc;
	rc = state_prepare(st, false);
	if (!rc) {
		st->joined = true;
		port_write_once(&st->alive, INT64_MAX); /* no consumer asks this engine */
		port_store_release(&st->activity, DTRACE_ACTIVITY_ACTIVE);
	}
	state_unlock(st);
	return rc;
}

/* ---- stop, status ---- */

int dtrace_state_stop(dtrace_state_t *st, dtrace_go_t *go)
{
	uint32_t now;
	int rc = state_lock(st);

	if (rc)
		return rc;
	now = port_read_once(&st->activity);
	if (now != DTRACE_ACTIVITY_ACTIVE && now != DTRACE_ACTIVITY_DRAINING) {
		rc = now == DTRACE_ACTIVITY_INACTIVE ? -EINVAL : -EBUSY;
		goto out;
	}
	port_store_release(&st->activity, DTRACE_ACTIVITY_DRAINING);
	port_grace_period();
	rc = speculation_clean(st, SPEC_CLEAN_ALL);
	if (rc)
		goto out;
	if (!st->joined) {
		port_store_release(&st->activity, DTRACE_ACTIVITY_COOLDOWN);
		rc = state_fire(st, engine.end, DTRACE_ACTIVITY_COOLDOWN, &go->dtgo_cpu);
		if (!rc)
			rc = speculation_clean(st, SPEC_CLEAN_ALL);
	}
	port_store_release(&st->activity, DTRACE_ACTIVITY_STOPPED);
out:
	state_unlock(st);
	return rc;
}

/* Carry out dtrace_state_clean(). [snap_lock] */
static void state_clean_locked(dtrace_state_t *st)
{
	STATE_ASSERT_LOCKED(st);
	if (st->cpus && port_read_once(&st->spec_pending))
		speculation_clean(st, SPEC_CLEAN_SOME); /* the rest next time */
}

void dtrace_state_clean(dtrace_state_t *st)
{
	/*
	 * Never wait for the lock: a reader holds it while the snapshot is copied, for as long as
	 * the reader's memory takes to answer.
	 */
	if (!port_read_once(&st->spec_pending) || !port_mutex_trylock(&st->snap_lock))
		return;
	state_clean_locked(st);
	state_unlock(st);
}

/* Sum up the counts of the CPUs. They may change meanwhile, so that the sum may be a moment old. */
static void state_count(const dtrace_state_t *st, dtrace_status_t *sum)
{
	memset(sum, 0, sizeof(*sum));
	for (uint32_t i = 0; st->cpus && i < port_ncpus(); i++) {
		const dtrace_status_t *c = &st->cpus[i].count;

		sum->dtst_dyndrops += port_read_once(&c->dtst_dyndrops);
		sum->dtst_specdrops += port_read_once(&c->dtst_specdrops);
		sum->dtst_specdrops_busy += port_read_once(&c->dtst_specdrops_busy);
		sum->dtst_specdrops_unavail += port_read_once(&c->dtst_specdrops_unavail);
		sum->dtst_stkstroverflows += port_read_once(&c->dtst_stkstroverflows);
		sum->dtst_errors += port_read_once(&c->dtst_errors);
		sum->dtst_dblerrors += port_read_once(&c->dtst_dblerrors);
		sum->dtst_pauses += port_read_once(&c->dtst_pauses);
		sum->dtst_reentries += port_read_once(&c->dtst_reentries);
		sum->dtst_missed += port_read_once(&c->dtst_missed);
		sum->dtst_aggdrops += port_read_once(&c->dtst_aggdrops);
		sum->dtst_principaldrops += port_read_once(&c->dtst_principaldrops);
		sum->dtst_filled += st->cpus[i].buffer.policy == DTRACEOPT_BUFPOLICY_FILL &&
				    port_read_once(&st->cpus[i].buffer.full);
	}
	sum->dtst_unattached = port_read_once(&st->unattached);
	sum->dtst_active = port_read_once(&st->activity);
	sum->dtst_exiting = port_read_once(&st->exited);
	sum->dtst_killed = sum->dtst_active == DTRACE_ACTIVITY_KILLED;
}

int dtrace_state_status(dtrace_state_t *st, dtrace_status_t *status)
{
	int rc;

	state_note_alive(st);
	rc = state_lock(st);
	if (rc)
		return rc;
	state_clean_locked(st);
	state_count(st, status);
	state_unlock(st);
	return 0;
}

bool dtrace_state_readable(dtrace_state_t *st)
{
	const struct state_cpu *cpus = port_load_acquire(&st->cpus);
	bool readable = port_read_once(&st->exited) ||
			port_read_once(&st->activity) == DTRACE_ACTIVITY_KILLED;

	/*
	 * Once published, they stay as long as the session. No lock: any number of threads may
	 * poll.
	 */
	for (uint32_t i = 0; !readable && cpus && i < port_ncpus(); i++)
		readable =
			port_read_once(&cpus[i].buffer.half) || port_read_once(&cpus[i].aggs.half);
	return readable;
}

/* ---- snapshots ---- */

struct state_swap { /* what is done on the buffer's CPU */
	dtrace_state_t *state;
	struct state_cpu *sc;
	bool agg;
	bool again; /* there is more to do before the swap */
	uint32_t used;
	uint64_t drops, errors, timestamp;
};

/* Swap a buffer, on its CPU. */
static void state_swap_here(void *arg)
{
	struct state_swap *s = arg;
	struct state_cpu *sc = s->sc;
	int64_t work = SPEC_CLEAN_CALL;

	s->again = !s->agg && !speculation_clean_cpu(s->state, sc, &work);
	if (s->again)
		return;
	s->timestamp = port_timestamp();
	if (s->agg) {
		s->used = agg_swap(&sc->aggs);
		s->drops = sc->aggs.drops;
		sc->aggs.drops = 0;
		return;
	}
	s->used = buffer_swap(&sc->buffer);
	s->drops = sc->buffer.drops;
	sc->buffer.drops = 0;
	s->errors = sc->count.dtst_errors - sc->errors_reported;
	sc->errors_reported = sc->count.dtst_errors;
}

/*
 * Find out whether a buffer can be read. -EBUSY: not yet. *empty becomes true if there is nothing,
 * and will not be.
 */
static int state_check_snapshot(const dtrace_state_t *st, bool agg, dtrace_bufdesc_t *desc,
				bool *empty)
{
	const struct state_cpu *sc;
	uint64_t size;

	*empty = false;
	if (desc->dtbd_cpu >= port_ncpus())
		return -ENOENT;
	if (!st->cpus)
		return -EINVAL;
	sc = &st->cpus[desc->dtbd_cpu];
	size = agg ? sc->aggs.size : sc->buffer.size;
	*empty = !sc->on || !size;
	if (!*empty && desc->dtbd_size < size)
		return -ENOBUFS;
	if (agg || *empty || sc->buffer.policy == DTRACEOPT_BUFPOLICY_SWITCH)
		return 0;
	*empty = sc->buffer.read;
	return port_read_once(&st->activity) == DTRACE_ACTIVITY_STOPPED ? 0 : -EBUSY;
}

/*
 * Note a snapshot. ECBs of destroyed probes can be freed when all CPUs have been read often enough.
 */
static void state_note_snapshot(dtrace_state_t *st, struct state_cpu *sc)
{
	engine_lock();
	sc->snapshots[2] = sc->snapshots[1];
	sc->snapshots[1] = sc->snapshots[0];
	sc->snapshots[0] = st->snapshots + 1;
	port_write_once(&st->snapshots, sc->snapshots[0]);
	engine_unlock();
	enabling_reap(st);
}

/* Carry out dtrace_state_snapshot(). [snap_lock] */
static int state_snapshot_locked(dtrace_state_t *st, bool agg, dtrace_bufdesc_t *desc,
				 int (*emit)(void *, const void *, size_t), void *ctx)
{
	struct state_swap s = {.state = st, .agg = agg};
	bool empty;
	int rc = state_check_snapshot(st, agg, desc, &empty);

	STATE_ASSERT_LOCKED(st);
	if (rc)
		return rc;
	desc->dtbd_size = desc->dtbd_drops = desc->dtbd_oldest = 0;
	desc->dtbd_errors = 0;
	desc->dtbd_timestamp = port_timestamp();
	if (empty)
		return 0;
	s.sc = &st->cpus[port_nospec(desc->dtbd_cpu, port_ncpus())];
	for (;;) {
		rc = state_call(st, s.sc->cpu, state_swap_here, &s, true);
		if (rc)
			return rc;
		if (!s.again)
			break;
		rc = port_relax();
		if (rc)
			return rc;
	}
	desc->dtbd_drops = s.drops;
	desc->dtbd_errors = (uint32_t)s.errors;
	desc->dtbd_timestamp = s.timestamp;
	if (agg)
		return agg_emit(&s.sc->aggs, s.used, emit, ctx, &desc->dtbd_size);
	s.sc->buffer.read = true;
	rc = buffer_emit(&s.sc->buffer, s.used, emit, ctx, &desc->dtbd_size);
	state_note_snapshot(st, s.sc);
	return rc;
}

int dtrace_state_snapshot(dtrace_state_t *st, bool agg, dtrace_bufdesc_t *desc,
			  int (*emit)(void *ctx, const void *data, size_t n), void *ctx)
{
	int rc = state_lock(st);

	if (rc)
		return rc;
	rc = state_snapshot_locked(st, agg, desc, emit, ctx);
	state_unlock(st);
	return rc;
}

/* ---- descriptions ---- */

/* Describe the data of an action in a record. */
static void state_put_rec(const struct action *act, dtrace_recdesc_t *rec)
{
	rec->dtrd_action = act->kind;
	rec->dtrd_alignment = (uint16_t)act->align;
	rec->dtrd_size = act->size;
	rec->dtrd_offset = act->offset;
	rec->dtrd_flags = act->string ? DTRACE_REC_STRING : 0;
	rec->dtrd_arg = act->arg;
	rec->dtrd_uarg = act->uarg;
}

/*
 * Describe what the actions of a clause record. *n becomes the number of descriptions, all of them.
 * -EINTR.
 */
static int state_put_recs(const struct body *body, dtrace_recdesc_t *recs, uint32_t nrecs,
			  uint32_t *n)
{
	*n = 0;
	for (uint32_t i = 0; i < body->nacts; i++) {
		int rc = relax_at(i);

		if (rc)
			return rc;
		if (!action_records(&body->acts[i]))
			continue;
		if (*n < nrecs)
			state_put_rec(&body->acts[i], &recs[*n]);
		++*n;
	}
	return 0;
}

int dtrace_state_eprobe(dtrace_state_t *st, dtrace_eprobedesc_t *ep, dtrace_recdesc_t *recs,
			uint32_t nrecs)
{
	const struct body *body = NULL;
	const struct ecb *ecb;
	int rc = state_lock(st);

	if (rc)
		return rc;
	engine_lock();
	ecb = enabling_lookup(st, ep->dtepd_epid);
	if (ecb) {
		body = ecb->body;
		ep->dtepd_probeid = ecb->probe->id;
		ep->dtepd_uarg = ecb->clause->uarg;
		ep->dtepd_size = body->size;
		probe_desc(ecb->probe, ecb_provname(ecb), &ep->dtepd_desc);
	}
	engine_unlock();
	/* The session's lock keeps the clause: others need not wait for its actions. */
	rc = body ? state_put_recs(body, recs, nrecs, &ep->dtepd_nrecs) : -ESRCH;
	state_unlock(st);
	return rc;
}

/* Describe the records of an aggregation: its keys, then its value. */
static void state_put_agg(const struct agg *agg, dtrace_recdesc_t *recs, uint32_t nrecs)
{
	struct action value = {.kind = agg->kind,
			       .align = 8,
			       .size = agg->value,
			       .offset = agg->keys,
			       .arg = agg->arg,
			       .uarg = agg->varid};

	for (uint32_t i = 0; i < agg->nkeys && i < nrecs; i++)
		state_put_rec(&agg->body->acts[agg->first + i], &recs[i]);
	if (agg->nkeys < nrecs)
		state_put_rec(&value, &recs[agg->nkeys]);
}

int dtrace_state_aggdesc(dtrace_state_t *st, dtrace_aggdesc_t *ad, dtrace_recdesc_t *recs,
			 uint32_t nrecs)
{
	const struct agg *agg;
	int rc = state_lock(st);

	if (rc)
		return rc;
	rc = -ESRCH;
	if (ad->dtagd_id >= 1 && ad->dtagd_id <= st->naggs) {
		agg = st->aggs[port_nospec(ad->dtagd_id - 1, st->naggs)];
		ad->dtagd_epid = agg->epid;
		ad->dtagd_varid = agg->varid;
		ad->dtagd_size = agg->keys + agg->value;
		ad->dtagd_nrecs = agg->nkeys + 1;
		state_put_agg(agg, recs, nrecs);
		rc = 0;
	}
	state_unlock(st);
	return rc;
}

/* Describe a session for dtrace_staterow(). [L] */
static void state_put_info(const dtrace_state_t *st, struct dtrace_staterow *info)
{
	info->pid = st->cred.pid;
	info->uid = st->cred.uid;
	info->activity = port_read_once(&st->activity);
	info->nenablings = st->nenablings;
	info->necbs = st->ecbs.count;
	info->bufsize = st->opts[DTRACEOPT_BUFSIZE];
	info->aggsize = st->opts[DTRACEOPT_AGGSIZE];
	info->dynvarsize = st->opts[DTRACEOPT_DYNVARSIZE];
	state_count(st, &info->status);
}

int dtrace_staterow(uint32_t *after, struct dtrace_staterow *info)
{
	struct link *l;
	int rc = -ESRCH;

	engine_lock();
	link_for_each(l, &engine.states) {
		const dtrace_state_t *st = link_entry(l, dtrace_state_t, link);

		if (st->number <= *after)
			continue;
		state_put_info(st, info);
		*after = st->number;
		rc = 0;
		break;
	}
	engine_unlock();
	return rc;
}
