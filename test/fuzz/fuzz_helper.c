/* SPDX-License-Identifier: MIT */
/*
 * fuzz_helper.c - any bytes as the DOF that a process registers: refused with a reason, or
 * everything it gives is sound; and a ustack helper in it runs, and harms nobody.
 */
#include "core.h"
#include <stdlib.h>

#define USER	0x555500000000ULL
#define LIMIT	0x7ffffffff000ULL

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void check_site(const struct dtrace_helper_site *s)
{
	check(s->addr && s->addr < LIMIT && s->sema <= LIMIT - 2 &&
	      strlen(s->func) < DTRACE_FUNCNAMELEN);
	for (uint8_t i = 0; i < s->nlocs; i++)
		check(s->locs[i].al_kind == DOF_LOC_NONE || s->locs[i].al_size <= 8);
}

static void check_probe(const struct dtrace_helper_probe *p)
{
	check(p->nsites && strlen(p->name) < DTRACE_NAMELEN &&
	      strlen(p->func) < DTRACE_FUNCNAMELEN);
	for (uint8_t i = 0; i < p->nargs; i++)
		check(strlen(p->nargv[i]) < DTRACE_ARGTYPELEN);
	for (uint8_t i = 0; i < p->nxargs; i++)
		check(strlen(p->xargv[i]) < DTRACE_ARGTYPELEN && p->map[i] < p->nargs);
	for (uint32_t i = 0; i < p->nsites; i++)
		check_site(&p->sites[i]);
}

/* Ask a helper about a frame: of the process it sees one page, of the kernel nothing. */
static void run_helper(const struct dtrace_helper_program *p)
{
	static uint64_t user[512];
	static struct dtrace_state state = { .cred.privs = 7, .strsize = 256 };
	static const dtrace_provider_ops_t ops;
	static struct dtrace_provider prov = { .ops = &ops };
	static struct dtrace_probe probe = { .prov = &prov };
	static struct state_cpu sc;
	struct firing f = { .state = &state, .sc = &sc, .probe = &probe, .steps = DTRACE_UHELP_MAXSTEPS };
	struct frame frame = { (uintptr_t)user, (uintptr_t)(user + 8), (uintptr_t)(user + 16) };
	struct str name;

	port_user_window(NULL, 0, false);
	port_user_window(user, sizeof(user), true);
	for (size_t i = 0; i < 512; i++)
		user[i] = (uintptr_t)(user + (i * 7) % 500);
	f.scratch = f.scratch_top = f.scratch_used = malloc(DTRACE_SCRATCHSIZE);
	f.scratch_end = f.scratch + DTRACE_SCRATCHSIZE;
	if (helper_run(&f, p, &frame, &name) == HELPER_NAME)
		check(name.n && name.n < DTRACE_UHELP_STRSIZE && strnlen(name.p, name.n) == name.n);
	check(!f.faulted && !f.helping && f.scratch_top == f.scratch);
	free(f.scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dtrace_helper_dof *dof;
	uint8_t *copy = malloc(size ? size : 1);
	uint32_t nsites = 0;
	char msg[256];
	int rc;

	if (size)
		memcpy(copy, data, size);
	rc = dtrace_helper_parse(copy, size, USER, 0x1000, LIMIT, &dof, msg, sizeof(msg));
	free(copy);
	if (rc) {
		check(msg[0]);
		return 0;
	}
	for (uint32_t i = 0; i < dof->nproviders; i++) {
		check(strlen(dof->providers[i].name) > 0);
		for (uint32_t k = 0; k < dof->providers[i].nprobes; k++) {
			check_probe(&dof->providers[i].probes[k]);
			nsites += dof->providers[i].probes[k].nsites;
		}
	}
	check(nsites == dof->nsites);
	if (dof->program)
		run_helper(dof->program);
	dtrace_helper_free(dof);
	check(port_user_allocated() == 0);
	return 0;
}
