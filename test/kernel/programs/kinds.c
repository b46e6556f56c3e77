// SPDX-License-Identifier: MIT
/*
 * kinds.c - register probes of this program's function by hand, as pid probes and as a program's
 * static probes: first the simplest form of each kind, then each with one property that is not
 * allowed. Print a line for each: taken, or the reason. Then check how a reason is cut, and which
 * side may remove the probes.
 *
 * With the number of a process, only print how many registrations it has.
 */
#include <dtrace/fasttrap.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pid_dof.h"
#include "../../lib/dof.h"

static int device, helper;
static uint16_t semaphore = 0x1234;

static __attribute__((noinline)) int probed(int n)
{
	return n + semaphore;
}

/* Return the data of a section of that type, in DOF that pid_dof has made. */
static void *section(void *dof, uint32_t type)
{
	const dof_hdr_t *header = dof;
	const dof_sec_t *sec = (const void *)(header + 1);

	while (sec->dofs_type != type)
		sec++;
	return (char *)dof + sec->dofs_offset;
}

/* Return the address of a single site, which its description follows. */
static dof_siteaddr_t *address(void *dof)
{
	return (void *)((char *)section(dof, DOF_SECT_PRSITES) + sizeof(dof_prsites_t));
}

static dof_site_t *site(void *dof)
{
	return (void *)(address(dof) + 1);
}

static dof_probe_t *probe(void *dof)
{
	return section(dof, DOF_SECT_PROBES);
}

static void plain(void *dof)
{
	(void)dof;
}

static void enabled(void *dof)
{
	site(dof)->st_kind = DOF_SITE_ISENABLED;
}

static void counted(void *dof)
{
	address(dof)->sa_sema = (intptr_t)&semaphore;
}

static void typed(void *dof)
{
	probe(dof)->dofpr_nargv = probe(dof)->dofpr_name;
	probe(dof)->dofpr_nargc = 1;
}

static void outside(void *dof)
{
	address(dof)->sa_addr = (intptr_t)&semaphore;
}

/* Give the provider the name of the function. */
static void named(void *dof)
{
	((dof_provider_t *)section(dof, DOF_SECT_PROVIDER))->dofpv_name = probe(dof)->dofpr_func;
}

static void named_enabled(void *dof)
{
	named(dof);
	enabled(dof);
}

static void named_counted(void *dof)
{
	named(dof);
	counted(dof);
}

static void named_counted_oddly(void *dof)
{
	named_counted(dof);
	address(dof)->sa_sema++;
}

static void named_counted_on_the_heap(void *dof)
{
	named(dof);
	address(dof)->sa_sema = (intptr_t)dof;
}

/*
 * A page of code and a page of data of one file: the data private, or shared with other processes.
 */
static char *page_of_code, *page_of_data;

static void map_pages(int how)
{
	const long size = sysconf(_SC_PAGESIZE);
	char path[] = "/tmp/kinds.XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0 || unlink(path) || ftruncate(fd, 2 * size))
		exit(3);
	page_of_code = mmap(NULL, (size_t)size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	page_of_data = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, how, fd, size);
	if (page_of_code == MAP_FAILED || page_of_data == MAP_FAILED)
		exit(3);
	close(fd);
}

static void named_counted_in_pages(void *dof)
{
	named(dof);
	address(dof)->sa_addr = (intptr_t)page_of_code;
	address(dof)->sa_sema = (intptr_t)page_of_data;
}

/* Remove a registration. Static probes belong to the process. */
static int drop(uint32_t flags, int gen)
{
	dtrace_ft_remove_t remove = {.dtfm_pid = getpid(), .dtfm_gen = gen};

	return flags & DTRACE_FT_PID ? ioctl(device, DTRACEFTIOC_REMOVE, &remove)
				     : ioctl(helper, DTRACEHIOC_REMOVE, gen);
}

static void try(uint32_t flags, const char *what, const char *function, void (*change)(void *dof))
{
	struct pid_site at = {
		.function = function, .name = "entry", .address = (uintptr_t)probed, .offset = -1};
	char why[256] = "", *colon;
	size_t size;
	void *dof = pid_dof(&at, 1, 0, &size);
	dtrace_ft_register_t reg = {.dtfr_pid = getpid(),
				    .dtfr_flags = flags,
				    .dtfr_errmsg = (uintptr_t)why,
				    .dtfr_errlen = sizeof(why),
				    .dtfr_helper = {.dofhp_dof = (uintptr_t)dof}};
	int gen;

	change(dof);
	gen = ioctl(device, DTRACEFTIOC_REGISTER, &reg);
	colon = strncmp(why, "0x", 2) ? NULL : strchr(why, ':'); /* behind an address */
	if (gen < 0)
		printf("%s: %s: %s\n", what, strerror(errno), colon ? colon + 2 : why);
	else
		printf("%s: taken%s\n", what, drop(flags, gen) ? ", and kept" : "");
	free(dof);
}

/* Ask for a probe that is refused, with space of that size for the reason. */
static void refuse(char *why, uint32_t size)
{
	struct pid_site at = {
		.function = "probed", .name = "entry", .address = (uintptr_t)probed, .offset = -1};
	size_t bytes;
	void *dof = pid_dof(&at, 1, 0, &bytes);
	dtrace_ft_register_t reg = {.dtfr_pid = getpid(),
				    .dtfr_flags = DTRACE_FT_PID,
				    .dtfr_errmsg = (uintptr_t)why,
				    .dtfr_errlen = size,
				    .dtfr_helper = {.dofhp_dof = (uintptr_t)dof}};

	named(dof);
	ioctl(device, DTRACEFTIOC_REGISTER, &reg);
	free(dof);
}

/* Check that a reason is cut by the space for it, to the byte. */
static void try_space(void)
{
	char whole[256] = "", cut[256];
	uint32_t len, size, bad = 0;

	refuse(whole, sizeof(whole));
	len = strlen(whole);
	for (size = 1; size < len + 3; size++) {
		memset(cut, '#', sizeof(cut));
		refuse(cut, size);
		bad += strlen(cut) != (size > len ? len : size - 1) || cut[size] != '#' ||
		       strncmp(cut, whole, strlen(cut)) != 0;
	}
	printf("a reason of %u bytes: %u sizes are wrong\n", len, bad);
}

/* Register a probe of the function by the device. Return its number. */
static int add(uint32_t flags, const char *function)
{
	struct pid_site at = {
		.function = function, .name = "entry", .address = (uintptr_t)probed, .offset = -1};
	size_t size;
	void *dof = pid_dof(&at, 1, 0, &size);
	dtrace_ft_register_t reg = {.dtfr_pid = getpid(),
				    .dtfr_flags = flags,
				    .dtfr_helper = {.dofhp_dof = (uintptr_t)dof}};
	int gen;

	if (!flags)
		named(dof);
	gen = ioctl(device, DTRACEFTIOC_REGISTER, &reg);
	free(dof);
	return gen;
}

static void say(const char *what, int error)
{
	printf("%s: %s\n", what, error ? strerror(errno) : "removed");
}

/* Check that only a session can remove its probes, and only a process its own. */
static void try_removals(void)
{
	dtrace_ft_remove_t remove = {.dtfm_pid = getpid()};
	int other = open("/dev/dtrace/fasttrap", O_RDWR);

	remove.dtfm_gen = add(DTRACE_FT_PID, "probed");
	say("a session's, by another session", ioctl(other, DTRACEFTIOC_REMOVE, &remove));
	say("a session's, by the process", ioctl(helper, DTRACEHIOC_REMOVE, remove.dtfm_gen));
	say("a session's, by that session", ioctl(device, DTRACEFTIOC_REMOVE, &remove));
	say("a session's, again", ioctl(device, DTRACEFTIOC_REMOVE, &remove));
	remove.dtfm_gen = add(0, "program");
	say("a program's, by a session", ioctl(device, DTRACEFTIOC_REMOVE, &remove));
	say("a program's, by the process", ioctl(helper, DTRACEHIOC_REMOVE, remove.dtfm_gen));
	close(other);
}

static int count(int pid)
{
	dtrace_ft_count_t count = {.dtfc_pid = pid};

	if (ioctl(device, DTRACEFTIOC_COUNT, &count))
		printf("%s\n", strerror(errno));
	else
		printf("%u registrations\n", count.dtfc_registrations);
	return 0;
}

int main(int argc, char **argv)
{
	device = open("/dev/dtrace/fasttrap", O_RDWR);
	helper = open("/dev/dtrace/helper", O_RDWR);
	if (device < 0 || helper < 0 || probed(1) == 0)
		return 3;
	if (argc > 1)
		return count(atoi(argv[1]));
	try(DTRACE_FT_PID, "pid", "probed", plain);
	try(DTRACE_FT_PID, "pid, is-enabled", "probed", enabled);
	try(DTRACE_FT_PID, "pid, with a semaphore", "probed", counted);
	try(DTRACE_FT_PID, "pid, with types", "probed", typed);
	try(DTRACE_FT_PID, "pid, of another name", "probed", named);
	try(DTRACE_FT_PID, "pid, of a process", "pid7", named);
	try(DTRACE_FT_PID, "pid, outside of code", "probed", outside);
	try(0, "a program's", "program", named);
	try(0, "a program's, named pids", "pids", named);
	try(0, "a program's, named pid7s", "pid7s", named);
	try(0, "a program's, named pid", "pid", named);
	try(0, "a program's, named pid7", "pid7", named);
	try(0, "a program's, is-enabled", "program", named_enabled);
	try(0, "a program's, with a semaphore", "program", named_counted);
	try(0, "a program's, with an odd semaphore", "program", named_counted_oddly);
	try(0, "a program's, with a semaphore on the heap", "program", named_counted_on_the_heap);
	map_pages(MAP_PRIVATE);
	try(0, "a program's, with a semaphore in a private page", "program",
	    named_counted_in_pages);
	map_pages(MAP_SHARED);
	try(0, "a program's, with a semaphore in a shared page", "program", named_counted_in_pages);
	try_space();
	try_removals();
	return 0;
}
