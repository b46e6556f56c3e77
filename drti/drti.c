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
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <dtrace/helper.h>
#include <dtrace/limits.h>
#include "dofbuild.h"

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

/* Memory for the time of building: pieces of zeroed pages that are given back together. */
struct piece {
	struct piece *next;
	size_t size, used;
};

#define PIECE_SIZE	(256 * 1024)

static void *pages(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static void *piece_alloc(void *ctx, size_t size)
{
	struct piece **pieces = ctx, *piece = *pieces;
	size_t need = (size + 15) & ~(size_t)15, header = (sizeof *piece + 15) & ~(size_t)15;

	if (!piece || piece->size - piece->used < need) {
		size_t total = need + header > PIECE_SIZE ? need + header : PIECE_SIZE;

		piece = pages(total);
		if (!piece)
			return NULL;
		*piece = (struct piece){ .next = *pieces, .size = total, .used = header };
		*pieces = piece;
	}
	piece->used += need;
	return (char *)piece + piece->used - need;
}

static void pieces_free(struct piece *piece)
{
	while (piece) {
		struct piece *next = piece->next;

		munmap(piece, piece->size);
		piece = next;
	}
}

static void say_text(const char *text)
{
	ssize_t ignored = write(STDERR_FILENO, text, strlen(text));

	(void)ignored;
}

static const char *decimal(char *end, unsigned long number)
{
	*--end = '\0';
	do {
		*--end = '0' + number % 10;
		number /= 10;
	} while (number);
	return end;
}

/* With DTRACE_DOF_INIT_DEBUG: a line on stderr of the texts and the number. */
static void say(const char *what, const char *which, const char *unit, unsigned long number)
{
	char digits[24];

	if (!secure_getenv("DTRACE_DOF_INIT_DEBUG"))
		return;
	say_text("dtrace: ");
	say_text(what);
	say_text(which);
	say_text(unit);
	say_text(decimal(digits + sizeof digits, number));
	say_text("\n");
}

static int device_open(void)
{
	const char *name = secure_getenv("DTRACE_DOF_INIT_DEVNAME");
	int fd;

	if (!name)
		name = DTRACE_HELPER_DEVICE;
	fd = open(name, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		say("cannot open ", name, ": errno ", errno);
	return fd;
}

static void take_declarations(struct dofbuild *b)
{
	const char *at = __start_dtrace_dof;
	size_t size;

	while (at < __stop_dtrace_dof) {
		size = dofbuild_declare(b, at, __stop_dtrace_dof - at);
		if (!size) {
			say("damaged section ", DTRACE_DOF_SECTION, ", byte ",
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
			say("damaged section ", DTRACE_SITES_SECTION, ", byte ",
			    at - __start_dtrace_sites);
			return;
		}
		at += size;
	}
}

/* Registers the DOF that b describes. */
static void register_dof(struct dofbuild *b, int fd)
{
	size_t size = dofbuild_size(b);
	void *dof = size && size <= DTRACE_HELPER_MAXSIZE ? pages(size) : NULL;
	struct dof_helper helper = { .dofhp_dof = (uintptr_t)dof };

	if (!dof) {
		say("no memory for the probes", "", ", bytes of DOF: ", size);
		return;
	}
	dofbuild_write(b, dof, (uintptr_t)dof);
	__dtrace_drti.registration = ioctl(fd, DTRACEHIOC_ADDDOF, &helper);
	__dtrace_drti.registered = __dtrace_drti.registration >= 0;
	if (__dtrace_drti.registered)
		say("registered probes", "", ", sites: ", b->sites.used);
	else
		say("the module refuses the probes, ", "/proc/dtrace/helper_errors says why",
		    ": errno ", errno);
	munmap(dof, size);
}

static void build(int fd)
{
	struct piece *pieces = NULL;
	struct dofbuild b;

	dofbuild_init(&b, sizeof(void *) * 8, piece_alloc, &pieces);
	take_declarations(&b);
	take_sites(&b);
	if (b.refused)
		say("left out records that cannot be probes", "", ": ", b.refused);
	register_dof(&b, fd);
	pieces_free(pieces);
}

/* Before constructors of the program, so that their probes can be traced. */
__attribute__((constructor(101))) static void drti_start(void)
{
	int saved = errno, fd;

	if (__dtrace_drti.claimed++ || &__start_dtrace_sites[0] >= &__stop_dtrace_sites[0] ||
	    secure_getenv("DTRACE_DOF_INIT_DISABLE"))
		return;
	fd = device_open();
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
	fd = device_open();
	if (fd >= 0) {
		if (ioctl(fd, DTRACEHIOC_REMOVE, __dtrace_drti.registration))
			say("the module does not know the registration", "", " ",
			    __dtrace_drti.registration);
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
