/* SPDX-License-Identifier: MIT */
/* registration.c - register any DOF as a process would, for fuzzing the engine. */
#include "registration.h"
#include "engine_session.h"
#include "account.h"
#include "dif_mem.h"
#include "fire.h"
#include "probe.h"
#include "state.h"
#include "ustack.h"
#include <stdlib.h>
#include <sys/mman.h>

#define LIMIT 0x7ffffffff000ULL

/*
 * Map the memory of the process: one page of addresses in it, then a string without an end. The
 * memory has the same address in every run.
 */
static uint64_t *user_memory(void)
{
	uint64_t *user = mmap((void *)(uintptr_t)FUZZ_USER, FUZZ_AREA, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	fuzz_check(user == (void *)(uintptr_t)FUZZ_USER);
	memset(user, 'a', FUZZ_AREA);
	for (size_t i = 0; i < 512; i++)
		user[i] = (uintptr_t)(user + (i * 7) % 500);
	port_user_window(user, FUZZ_AREA, true);
	return user;
}

static void check_site(const struct dtrace_helper_site *s)
{
	fuzz_check(s->addr && s->addr < LIMIT && s->sema <= LIMIT - 2 &&
		   strlen(s->func) < DTRACE_FUNCNAMELEN);
	for (uint8_t i = 0; i < s->nlocs; i++)
		fuzz_check(s->locs[i].al_kind == DOF_LOC_NONE || s->locs[i].al_size <= 8);
}

static void check_probe(const struct dtrace_helper_probe *p)
{
	fuzz_check(p->nsites && strlen(p->name) < DTRACE_NAMELEN &&
		   strlen(p->func) < DTRACE_FUNCNAMELEN);
	for (uint8_t i = 0; i < p->nargs; i++)
		fuzz_check(strlen(p->nargv[i]) < DTRACE_ARGTYPELEN);
	for (uint8_t i = 0; i < p->nxargs; i++)
		fuzz_check(strlen(p->xargv[i]) < DTRACE_ARGTYPELEN && p->map[i] < p->nargs);
	for (uint32_t i = 0; i < p->nsites; i++)
		check_site(&p->sites[i]);
}

/* Run a helper for a frame. It can read the memory of the process, and no memory of the kernel. */
static void run_helper(const struct dtrace_helper_program *p)
{
	static uint64_t *user;
	static struct dtrace_state state = {
		.cred.privs = 7, .strsize = 256, .slice = DTRACE_WORK_SLICE_USER};
	static const dtrace_provider_ops_t ops;
	static struct dtrace_provider prov = {.ops = &ops};
	static struct dtrace_probe probe = {.prov = &prov};
	static struct state_cpu sc;
	struct mstate m = {
		.state = &state, .sc = &sc, .probe = &probe, .steps = DTRACE_UHELP_MAXSTEPS};
	uint64_t began, units;
	struct frame frame;
	struct str name;

	if (!user) {
		user = user_memory();
		port_user_init(1);
	}
	account_init();
	state.account = dtrace_account_get(FUZZ_UID, false);
	fuzz_check(state.account);
	frame = (struct frame){FUZZ_USER, FUZZ_USER + 64, FUZZ_USER + 128};
	m.scratch = m.scratch_top = m.scratch_used = calloc(1, DTRACE_SCRATCHCPU);
	m.scratch_end = m.scratch + DTRACE_SCRATCHSIZE;
	began = fuzz_cpu_time();
	if (helper_run(&m, p, &frame, &name) == HELPER_NAME)
		fuzz_check(name.n && name.n < DTRACE_UHELP_STRSIZE &&
			   strnlen(name.p, name.n) == name.n);
	units = DTRACE_UHELP_MAXSTEPS - (uint64_t)m.steps;
	fuzz_time("a ustack helper", began, FUZZ_FIRE_NS + units * FUZZ_UNIT_NS);
	fuzz_check(!m.faulted && !m.helping && m.scratch_top == m.scratch);
	fuzz_check(m.steps >= 0 && m.steps <= DTRACE_UHELP_MAXSTEPS);
	fuzz_check_scratch(&m);
	free(m.scratch);
	dtrace_account_put(state.account);
	account_fini();
}

static void registered(void *dof, size_t size)
{
	struct dtrace_helper_dof *out;
	uint64_t began = fuzz_cpu_time();
	unsigned long bytes = port_user_bytes();
	uint32_t nsites = 0;
	char msg[256];
	int rc;

	rc = dtrace_helper_parse(dof, size, FUZZ_USER, REGISTRATION_BASE, LIMIT, &out, msg,
				 sizeof(msg));
	fuzz_check(port_user_bytes() - bytes <= FUZZ_DOF_BYTES(size));
	fuzz_time("reading a DOF", began, FUZZ_DOF_NS(size));
	if (rc) {
		fuzz_check(msg[0]);
		fuzz_check(port_user_allocated() == 0);
		return;
	}
	for (uint32_t i = 0; i < out->nproviders; i++) {
		fuzz_check(strlen(out->providers[i].name) > 0);
		for (uint32_t k = 0; k < out->providers[i].nprobes; k++) {
			check_probe(&out->providers[i].probes[k]);
			nsites += out->providers[i].probes[k].nsites;
		}
	}
	fuzz_check(nsites == out->nsites);
	if (out->program)
		run_helper(out->program);
	dtrace_helper_free(out);
	fuzz_check(port_user_allocated() == 0 && !port_user_warnings());
}

void registration(const void *dof, size_t size)
{
	void *copy;

	do {
		copy = malloc(size ? size : 1); /* so that the sanitizer sees reads past it */
		if (size)
			memcpy(copy, dof, size);
		registered(copy, size);
		free(copy);
	} while (fuzz_again());
}
