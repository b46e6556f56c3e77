/* SPDX-License-Identifier: MIT */
/*
 * fire.c - traces a test program's own probes; see fire.h. What depends on the machine is in
 * fire_MACHINE.c.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include "../../drti/dofbuild.h"
#include "fire.h"
#include "fire_machine.h"

extern const char __start_dtrace_sites[] __attribute__((weak, visibility("hidden")));
extern const char __stop_dtrace_sites[] __attribute__((weak, visibility("hidden")));

#define ARGS_MAX 12

/* The DOF that drti would register. */
static char *dof;

/* Sites with the addresses they trap at; filled once, then read by the handler. */
static struct fired_site {
	uintptr_t pc;
	uint16_t *sema;
	const char *provider, *probe, *func;
	const dof_argloc_t *locs;
	int nargs;
	uint32_t insn; /* that is trapped, as fire_machine_trap tells it */
	bool isenabled;
} * sites;
static size_t nsites;
static unsigned long long last[ARGS_MAX];
static bool enabled;
int fire_silent;

static void die(const char *why)
{
	fprintf(stderr, "fire: %s\n", why);
	_exit(99);
}

static void *allocate(void *ctx, size_t size)
{
	(void)ctx;
	return malloc(size);
}

static const void *section(dof_secidx_t i)
{
	return dof + ((dof_sec_t *)(dof + sizeof(dof_hdr_t)))[i].dofs_offset;
}

static void build(void)
{
	struct dofbuild b;
	size_t size;

	dofbuild_init(&b, OPERANDS_HERE, allocate, NULL);
	for (const char *at = &__start_dtrace_sites[0]; at < &__stop_dtrace_sites[0]; at += size) {
		const struct dtrace_site_record *r = (const void *)at;

		size = dofbuild_site(&b, r, &__stop_dtrace_sites[0] - at, (uintptr_t)at,
				     r->size && r->func ? (const char *)&r->func + r->func : NULL);
		if (!size)
			die("a record is damaged");
	}
	if (b.refused)
		die("a record was refused");
	size = dofbuild_size(&b);
	if (!size)
		die("no site");
	dof = calloc(1, size);
	dofbuild_write(&b, dof, (uintptr_t)dof);
}

/* Read the sites of a provider out of the DOF. */
static void take_provider(const dof_provider_t *pv)
{
	const dof_probe_t *table = section(pv->dofpv_probes);
	const dof_prsites_t *head = section(pv->dofpv_prsites);
	const dof_siteaddr_t *addr = (const dof_siteaddr_t *)(head + 1);
	const dof_site_t *site = (const dof_site_t *)(addr + head->ps_nsites);
	const dof_argloc_t *locs = (const dof_argloc_t *)(site + head->ps_nsites);
	const char *strings = section(pv->dofpv_strtab);

	sites = realloc(sites, (nsites + head->ps_nsites) * sizeof *sites);
	for (uint32_t i = 0; i < head->ps_nsites; i++)
		sites[nsites++] = (struct fired_site){
			.pc = (uintptr_t)dof + addr[i].sa_addr,
			.sema = addr[i].sa_sema
					? (uint16_t *)((uintptr_t)dof + (uintptr_t)addr[i].sa_sema)
					: NULL,
			.provider = strings + pv->dofpv_name,
			.probe = strings + table[site[i].st_probe].dofpr_name,
			.func = site[i].st_func == DOF_STRIDX_NONE ? "" : strings + site[i].st_func,
			.locs = locs + site[i].st_loc,
			.nargs = site[i].st_nargs,
			.isenabled = site[i].st_kind == DOF_SITE_ISENABLED,
		};
}

static void take_sites(void)
{
	const dof_hdr_t *h = (const dof_hdr_t *)dof;
	const dof_sec_t *secs = (const dof_sec_t *)(h + 1);

	for (uint32_t i = 0; i < h->dofh_secnum; i++)
		if (secs[i].dofs_type == DOF_SECT_PROVIDER)
			take_provider(section(i));
}

static void trap(struct fired_site *s)
{
	uintptr_t page = sysconf(_SC_PAGESIZE), from = s->pc & ~(page - 1);

	if (mprotect((void *)from, s->pc + 1 - from, PROT_READ | PROT_WRITE | PROT_EXEC))
		die("mprotect");
	if (!fire_machine_trap(s->pc, &s->insn))
		die("no NOP at a site");
}

static const void *operand_address(const ucontext_t *uc, const dof_argloc_t *loc)
{
	uintptr_t at = loc->al_disp;

	if (loc->al_base == DOF_REG_IP)
		at += (uintptr_t)dof;
	else if (loc->al_base != DOF_REG_NONE)
		at += fire_machine_register(uc, loc->al_base);
	if (loc->al_index != DOF_REG_NONE)
		at += fire_machine_register(uc, loc->al_index) * loc->al_scale;
	if (loc->al_flags & DOF_LOCF_TLS)
		at += fire_machine_thread();
	return (const void *)at;
}

static unsigned long long value(const ucontext_t *uc, const dof_argloc_t *loc)
{
	unsigned int unused = 64 - 8 * loc->al_size;
	unsigned long long v = 0;

	if (loc->al_kind == DOF_LOC_NONE)
		v = 0;
	else if (loc->al_kind == DOF_LOC_CONST)
		v = loc->al_disp;
	else if (loc->al_kind == DOF_LOC_REG)
		v = fire_machine_register(uc, loc->al_base);
	else if (loc->al_kind == DOF_LOC_PAIR)
		v = fire_machine_register(uc, loc->al_base) |
		    (unsigned long long)fire_machine_register(uc, loc->al_index) << 32;
	else if (loc->al_kind == DOF_LOC_MEM)
		memcpy(&v, operand_address(uc, loc), loc->al_size);
	else
		die("an argument is nowhere");
	if (loc->al_flags & DOF_LOCF_HIGHBYTE)
		v >>= 8;
	if (loc->al_flags & DOF_LOCF_SIGNED)
		return (long long)(v << unused) >> unused;
	return v << unused >> unused;
}

static void print_value(const dof_argloc_t *loc, unsigned long long v)
{
	double d;
	float f;

	if (!(loc->al_flags & DOF_LOCF_FLOAT)) {
		printf(loc->al_flags & DOF_LOCF_SIGNED ? " %lld" : " %llu", v);
	} else if (loc->al_size == 4) {
		memcpy(&f, &v, 4);
		printf(" %gf", f);
	} else {
		memcpy(&d, &v, 8);
		printf(" %g", d);
	}
}

static void print(const struct fired_site *s)
{
	printf("%s:%s(%s)", s->provider, s->probe, s->func);
	for (int i = 0; i < s->nargs; i++)
		print_value(&s->locs[i], last[i]);
	printf("\n");
}

static void hit(int signo, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	uintptr_t pc = fire_machine_pc(uc);
	const struct fired_site *s = sites;

	(void)signo;
	(void)info;
	while (s < sites + nsites && s->pc != pc)
		s++;
	if (s == sites + nsites)
		die("a trap that is no site");
	fire_machine_continue(uc, s->pc, s->insn);
	if (s->isenabled) {
		fire_machine_result(uc, enabled);
		return;
	}
	for (int i = 0; i < s->nargs; i++)
		last[i] = value(uc, &s->locs[i]);
	if (!fire_silent)
		print(s);
}

__attribute__((constructor(101))) static void arm(void)
{
	struct sigaction action = {.sa_sigaction = hit, .sa_flags = SA_SIGINFO};

	setvbuf(stdout, NULL, _IOLBF, 0);
	build();
	take_sites();
	sigaction(SIGTRAP, &action, NULL);
	for (size_t i = 0; i < nsites; i++)
		trap(&sites[i]);
}

void fire_enable(void)
{
	enabled = true;
	for (size_t i = 0; i < nsites; i++)
		if (sites[i].sema)
			++*sites[i].sema;
}

unsigned long long fire_arg(int n)
{
	return last[n];
}
