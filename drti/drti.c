/* SPDX-License-Identifier: MIT */
/*
 * drti.c - the start-up object of programs with probes: tells the module which probes this program
 * or library has.
 *
 * It is linked into each program and library with probes, once or, in the output of several dtrace
 * -G, many times; the copies share a weak hidden symbol, and the first one that runs acts. Nothing
 * happens without the helper device.
 *
 * Environment, of which programs that run with another user's rights take no notice:
 *	DTRACE_DOF_INIT_DISABLE		set: do nothing
 *	DTRACE_DOF_INIT_DEBUG		set: say on stderr what is done and what fails
 *	DTRACE_DOF_INIT_DEVNAME		another device than /dev/dtrace/helper
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include "dofbuild.h"
#include "registrar.h"

#define HIDDEN	__attribute__((visibility("hidden")))
#define WEAK	__attribute__((weak, visibility("hidden")))

/* From the linker; 0 if there is no such section. */
extern const char __start_dtrace_sites[] WEAK, __stop_dtrace_sites[] WEAK;
extern const char __start_dtrace_dof[] WEAK, __stop_dtrace_dof[] WEAK;

/* One per program or library. */
struct drti {
	int claimed;		/* by the copy that acts */
	int registration;	/* what the module gave */
	int registered;
	int late;		/* the linker knows of no priorities */
};
WEAK struct drti __dtrace_drti;

static void take_declarations(struct dofbuild *b)
{
	const char *at = __start_dtrace_dof;
	size_t size;

	while (at < __stop_dtrace_dof) {
		size = dofbuild_declare(b, at, __stop_dtrace_dof - at);
		if (!size) {
			registrar_say("damaged section ", DTRACE_DOF_SECTION, ", byte ",
				      at - __start_dtrace_dof);
			return;
		}
		at += (size + 7) & ~(size_t)7;
	}
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
			registrar_say("damaged section ", DTRACE_SITES_SECTION, ", byte ",
				      at - __start_dtrace_sites);
			return;
		}
		at += size;
	}
}

static void build(int fd)
{
	struct registrar_piece *pieces = NULL;
	struct dofbuild b;

	dofbuild_init(&b, sizeof(void *) * 8, registrar_alloc, &pieces);
	take_declarations(&b);
	take_sites(&b);
	if (b.refused)
		registrar_say("left out records that cannot be probes", "", ": ", b.refused);
	__dtrace_drti.registration = registrar_add(&b, fd, "");
	__dtrace_drti.registered = __dtrace_drti.registration >= 0;
	registrar_free(pieces);
}

/* Before constructors of the program, so that their probes can be traced. */
__attribute__((constructor(101))) static void drti_start(void)
{
	int saved = errno, fd;

	if (__dtrace_drti.claimed++ || &__start_dtrace_sites[0] >= &__stop_dtrace_sites[0] ||
	    secure_getenv("DTRACE_DOF_INIT_DISABLE"))
		return;
	fd = registrar_open();
	if (fd >= 0) {
		build(fd);
		close(fd);
	}
	errno = saved;
}

/* When a library is unloaded. (When a process ends, the module forgets it in any case.) */
__attribute__((destructor(101))) static void drti_end(void)
{
	int saved = errno, fd;

	if (!__dtrace_drti.registered)
		return;
	__dtrace_drti.registered = 0;
	fd = registrar_open();
	if (fd >= 0) {
		registrar_remove(fd, __dtrace_drti.registration);
		close(fd);
	}
	errno = saved;
}

/* For linkers that know of no priorities (tcc's): they run these, which others find done. */
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

#define SECTION(name)	__attribute__((used, section(name)))

SECTION(".init_array") static void (*const init_late)(void) = drti_start_late;
SECTION(".fini_array") static void (*const fini_late)(void) = drti_end_late;
