/* SPDX-License-Identifier: MIT */
/*
 * drti.c - the start-up object of programs with probes: registers the probes and ustack helpers of
 * a program or library.
 *
 * It is linked into each program and library with probes: once, or many times as part of several
 * outputs of dtrace -G. The copies share a weak hidden symbol, and the first one that runs acts.
 * Without the helper device, and without a session that traces this user's programs (join.h), it
 * does nothing.
 *
 * Environment variables, which programs that run with another user's rights ignore:
 * DTRACE_DOF_INIT_DISABLE, if set, disables registration. DTRACE_DOF_INIT_DEBUG, if set, prints
 * steps and errors on stderr. DTRACE_DOF_INIT_DEVNAME names another device than /dev/dtrace/helper.
 */
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include "dofbuild.h"
#include "registrar.h"
#include "say.h"

#define HIDDEN __attribute__((visibility("hidden")))
#define WEAK   __attribute__((weak, visibility("hidden")))

/* Defined by the linker; 0 if the section does not exist. */
extern const char __start_dtrace_sites[] WEAK, __stop_dtrace_sites[] WEAK;
extern const char __start_dtrace_dof[] WEAK, __stop_dtrace_dof[] WEAK;
extern const ElfW(Ehdr) __ehdr_start WEAK; /* of the program or library */

#define HELPERS 8 /* of one program or library; the rest is left out */

/* The author of a helper may define this: its arg3. */
extern char dtrace_helper_data[] WEAK;
/* dtrace -p finds it here, also in stripped programs. */
static char *volatile helper_data __attribute__((section(DTRACE_HELPER_SECTION))) =
	dtrace_helper_data;

/* The state, one per program or library. */
struct drti {
	int claimed;	  /* by the copy that acts */
	int registration; /* what the module gave */
	int registered;
	int late;	      /* the linker knows of no priorities */
	int helpers[HELPERS]; /* registrations of ustack helpers */
	int nhelpers;
};
WEAK struct drti __dtrace_drti;

/*
 * Call take for each file of section dtrace_dof. take returns the file's size, or 0 if it is
 * damaged.
 */
static void each_dof(size_t (*take)(void *ctx, const void *dof, size_t left), void *ctx)
{
	const char *at = __start_dtrace_dof;
	size_t size;

	while (at < __stop_dtrace_dof) {
		size = take(ctx, at, __stop_dtrace_dof - at);
		if (!size) {
			drti_say("damaged section ", DTRACE_DOF_SECTION, ", byte ",
				 at - __start_dtrace_dof);
			return;
		}
		at += (size + 7) & ~(size_t)7;
	}
}

static size_t take_declarations(void *ctx, const void *dof, size_t left)
{
	return dofbuild_declare(ctx, dof, left);
}

/* Register a file of ustack helpers, which needs no conversion or copy. */
static size_t take_helper(void *ctx, const void *dof, size_t left)
{
	struct drti *d = &__dtrace_drti;
	int registration;

	if (dofbuild_has(dof, left, DOF_SECT_ECBDESC)) {
		if (d->nhelpers == HELPERS)
			drti_say("more helpers than allowed", "", ": ", HELPERS);
		registration =
			d->nhelpers < HELPERS ? registrar_add_helper(ctx, dof, helper_data) : -1;
		if (registration >= 0)
			d->helpers[d->nhelpers++] = registration;
	}
	return dofbuild_file_size(dof, left);
}

static size_t count_helper(void *ctx, const void *dof, size_t left)
{
	*(int *)ctx += dofbuild_has(dof, left, DOF_SECT_ECBDESC);
	return dofbuild_file_size(dof, left);
}

/* Return whether there is anything to register. */
static int drti_any(void)
{
	int any = &__start_dtrace_sites[0] < &__stop_dtrace_sites[0];

	if (!any)
		each_dof(count_helper, &any);
	return any;
}

static void take_sites(struct dofbuild *b)
{
	const char *at = __start_dtrace_sites;
	size_t size;

	while (at < __stop_dtrace_sites) {
		const struct dtrace_site_record *r = (const struct dtrace_site_record *)at;
		size_t left = __stop_dtrace_sites - at;
		int func = left < sizeof *r ? 0 : r->func;

		size = dofbuild_site(b, r, left, (uintptr_t)r,
				     func ? (const char *)&r->func + func : NULL);
		if (!size) {
			drti_say("damaged section ", DTRACE_SITES_SECTION, ", byte ",
				 at - __start_dtrace_sites);
			return;
		}
		at += size;
	}
}

static void build(struct registrar *r)
{
	struct registrar_chunk *chunks = NULL;
	struct dofbuild b;

	dofbuild_init(&b, OPERANDS_HERE, registrar_alloc, &chunks);
	each_dof(take_declarations, &b);
	take_sites(&b);
	if (b.refused)
		drti_say("left out records that cannot be probes", "", ": ", b.refused);
	__dtrace_drti.registration = registrar_add(&b, dofbuild_size(&b), r, "", NULL);
	__dtrace_drti.registered = __dtrace_drti.registration >= 0;
	registrar_free(chunks);
}

/* Register before constructors of the program run, so that their probes can be traced. */
__attribute__((constructor(101))) static void drti_start(void)
{
	struct registrar r;
	int saved = errno;

	if (__dtrace_drti.claimed++ || !drti_any() || secure_getenv("DTRACE_DOF_INIT_DISABLE"))
		return;
	if (registrar_open(&r, &__dtrace_drti)) {
		if (&__start_dtrace_sites[0] < &__stop_dtrace_sites[0])
			build(&r);
		each_dof(take_helper, &r);
	}
	registrar_close(&r);
	errno = saved;
}

/* Return whether this copy is part of the program, not of a library. */
static int drti_in_program(void)
{
	uintptr_t header = (uintptr_t)&__ehdr_start;

	return header && header + __ehdr_start.e_phoff == getauxval(AT_PHDR);
}

/* End a registration. The code is unmapped even if the module cannot be told. */
static void drti_remove(struct registrar *r, int registration)
{
	registrar_remove(r, registration);
	join_remove(&r->join, registration);
}

/*
 * End the registrations when a library is unloaded. Those of a program end with its process: the
 * module removes them, and sessions notice. So a program makes no system call here, for which a
 * filter (seccomp) might kill it.
 */
__attribute__((destructor(101))) static void drti_end(void)
{
	struct drti *d = &__dtrace_drti;
	struct registrar r;
	int saved = errno;

	if ((!d->registered && !d->nhelpers) || drti_in_program())
		return;
	registrar_open(&r, d);
	if (d->registered)
		drti_remove(&r, d->registration);
	d->registered = 0;
	while (d->nhelpers)
		drti_remove(&r, d->helpers[--d->nhelpers]);
	registrar_close(&r);
	errno = saved;
}

/*
 * Start for linkers without priorities of constructors, such as tcc's. Elsewhere a second call has
 * no effect.
 */
static void drti_start_late(void)
{
	if (!__dtrace_drti.claimed) {
		__dtrace_drti.late = 1;
		drti_start();
	}
}

static void drti_end_late(void)
{
	if (__dtrace_drti.late)
		drti_end();
}

#define SECTION(name) __attribute__((used, section(name)))

SECTION(".init_array") static void (*const init_late)(void) = drti_start_late;
SECTION(".fini_array") static void (*const fini_late)(void) = drti_end_late;
