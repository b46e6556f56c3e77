/* SPDX-License-Identifier: MIT */
/*
 * probes.c - what the library for probes at run time tells the module, and what it keeps for
 * sessions without the module. The device is pretended (--wrap=ioctl), and there is no session in
 * user land (--wrap=join_open); the engine, which reads DOF in the kernel, reads it here.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include <dtrace-probes.h>
#include <dtrace/helper.h>
#include "engine.h"
#include "join.h"
#include "port_user.h"

#define MAXREGISTRATIONS 100

/* The state of the pretended module. */
static struct {
	struct dtrace_helper_dof *dof[MAXREGISTRATIONS];
	char module[DTRACE_HELPER_MODLEN];
	int next, live, fail, fail_remove;
} module;

/* The errors of system calls that fail; 0: none. */
static struct {
	int open, memfd, executable, anonymous, shared;
} refusal;

static unsigned long countdown; /* the allocation that fails; 0: none */

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);

static bool fails_now(void)
{
	if (!countdown || --countdown)
		return false;
	errno = ENOMEM;
	return true;
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails_now() ? NULL : __real_calloc(n, size);
}

char *__wrap_strdup(const char *text)
{
	return fails_now() ? NULL : __real_strdup(text);
}

/* Return whether a system call fails, with its error in errno. */
static bool refuses(int error)
{
	if (error)
		errno = error;
	return error;
}

int __real_open(const char *path, int flags);
int __wrap_open(const char *path, int flags);
int __wrap_open(const char *path, int flags)
{
	return refuses(refusal.open) ? -1 : __real_open(path, flags);
}

int __real_memfd_create(const char *name, unsigned int flags);
int __wrap_memfd_create(const char *name, unsigned int flags);
int __wrap_memfd_create(const char *name, unsigned int flags)
{
	return refuses(refusal.memfd) ? -1 : __real_memfd_create(name, flags);
}

void *__real_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	if (refuses(prot & PROT_EXEC	 ? refusal.executable
		    : fd < 0		 ? refusal.anonymous
		    : flags & MAP_SHARED ? refusal.shared
					 : 0))
		return MAP_FAILED;
	return __real_mmap(at, size, prot, flags, fd, offset);
}

void __wrap_join_open(struct join *j, const void *owner);
void __wrap_join_open(struct join *j, const void *owner)
{
	(void)owner;
	*j = (struct join){0};
}

static int module_add(const struct dof_helper *helper)
{
	dof_hdr_t *dof = (dof_hdr_t *)(uintptr_t)helper->dofhp_dof;
	struct dtrace_helper_dof *out = NULL;
	char message[256] = "";

	if (module.fail) {
		errno = module.fail;
		return -1;
	}
	if (dtrace_helper_parse(dof, dof->dofh_filesz, helper->dofhp_dof, 0, 1ULL << 47, &out,
				message, sizeof message))
		fail_msg("%s", message);
	strcpy(module.module, helper->dofhp_mod);
	module.dof[module.next] = out;
	module.live++;
	return module.next++;
}

static int module_remove(unsigned long registration)
{
	if (refuses(module.fail_remove))
		return -1;
	if (registration >= MAXREGISTRATIONS || !module.dof[registration]) {
		errno = ENOENT;
		return -1;
	}
	dtrace_helper_free(module.dof[registration]);
	module.dof[registration] = NULL;
	module.live--;
	return 0;
}

int __wrap_ioctl(int fd, unsigned long request, unsigned long arg);
int __wrap_ioctl(int fd, unsigned long request, unsigned long arg)
{
	(void)fd;
	assert_true(request == DTRACEHIOC_ADDDOF || request == DTRACEHIOC_REMOVE);
	return request == DTRACEHIOC_ADDDOF ? module_add((const struct dof_helper *)arg)
					    : module_remove(arg);
}

/* Return the number of sites that the probe has in the function. */
static int sites_in(const struct dtrace_helper_probe *probe, const char *function)
{
	int n = 0;

	for (unsigned int i = 0; i < probe->nsites; i++)
		n += !strcmp(probe->sites[i].func, function);
	return n;
}

/* How many sites the probe has in the function, in all registrations; *out: its last. */
static int module_has(const char *function, const char *name,
		      const struct dtrace_helper_probe **out)
{
	int n = 0;

	for (int i = 0; i < module.next; i++) {
		const struct dtrace_helper_provider *p =
			module.dof[i] ? module.dof[i]->providers : NULL;

		for (unsigned int j = 0; p && j < p->nprobes; j++) {
			if (strcmp(p->probes[j].name, name))
				continue;
			n += sites_in(&p->probes[j], function);
			if (out)
				*out = &p->probes[j];
		}
	}
	return n;
}

/* ---- what is kept for sessions ---- */

static struct {
	struct dtrace_join_kept *first; /* at the lowest address */
	int n;
	bool writable;
} kept;

/* Return how many DOF this process keeps. */
static int kept_look(void)
{
	FILE *fp = fopen("/proc/self/maps", "r");
	unsigned long start, end;
	char line[512], perm[5];

	memset(&kept, 0, sizeof kept);
	while (fgets(line, sizeof line, fp)) {
		if (!strstr(line, "/memfd:" DTRACE_JOIN_KEPT " (deleted)") ||
		    sscanf(line, "%lx-%lx %4s", &start, &end, perm) != 3)
			continue;
		kept.writable |= strcmp(perm, "r--p") != 0;
		if (!kept.n++)
			kept.first = (struct dtrace_join_kept *)start;
	}
	fclose(fp);
	return kept.n;
}

/* Fail unless the only DOF that is kept has a probe. */
static void keeps(const char *name)
{
	struct dtrace_helper_dof *dof = NULL;
	char message[256] = "";
	dof_hdr_t *copy;
	size_t size;

	assert_int_equal(kept_look(), 1);
	size = ((dof_hdr_t *)(kept.first + 1))->dofh_loadsz;
	copy = malloc(size);
	memcpy(copy, kept.first + 1, size);
	if (dtrace_helper_parse(copy, size, kept.first->dof.helper.dofhp_dof, 0, 1ULL << 47, &dof,
				message, sizeof message))
		fail_msg("%s", message);
	assert_string_equal(dof->providers->probes[0].name, name);
	dtrace_helper_free(dof);
	free(copy);
}

/* Return the lowest number that a new descriptor would have. */
static int next_fd(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

static int setup(void **state)
{
	memset(&module, 0, sizeof module);
	*state = dtp_provider_create("app", "script");
	return *state ? setenv("DTRACE_DOF_INIT_DEVNAME", "/dev/null", 1) : -1;
}

static int teardown(void **state)
{
	module.fail = module.fail_remove = 0;
	memset(&refusal, 0, sizeof refusal);
	dtp_provider_destroy(*state);
	return module.live || kept_look();
}

static const char *const types[] = {"int", "char *", "struct thing *"};

static void registers_all_that_it_needs(void **state)
{
	dtp_probe_t *probe = dtp_probe_add(*state, "main", "request__done", 3, types);
	const struct dtrace_helper_probe *has;
	uint8_t code[7];

	assert_non_null(probe);
	assert_int_equal(module.next, 0);
	assert_int_equal(dtp_provider_enable(*state), 0);
	assert_int_equal(module_has("main", "request-done", &has), 1);
	assert_string_equal(module.module, "script");
	assert_string_equal(module.dof[0]->providers->name, "app");
	assert_int_equal(has->nargs, 3);
	assert_int_equal(has->nsites, 1);
	assert_int_equal(has->sites[0].nlocs, 3);
	assert_ptr_equal((void *)(uintptr_t)has->sites[0].sema, (void *)probe->semaphore);
	/* The site: two NOPs, of which the second is trapped, and a return. */
	memcpy(code, (void *)(uintptr_t)(has->sites[0].addr - 1), sizeof code);
	assert_memory_equal(code, "\x90\x66\x66\x66\x66\x90\xc3", sizeof code);
	*(volatile uint16_t *)probe->semaphore = 1;
	dtp_fire(probe, (uint64_t[]){1, 2, 3});
	*(volatile uint16_t *)probe->semaphore = 0;
}

static void is_enabled_by_its_own_semaphore(void **state)
{
	dtp_probe_t *one = dtp_probe_add(*state, "main", "one", 0, NULL);
	dtp_probe_t *two = dtp_probe_add(*state, "main", "two", 0, NULL);

	assert_false(dtp_enabled(one) || dtp_enabled(two));
	*(volatile uint16_t *)one->semaphore = 1;
	assert_true(dtp_enabled(one) && !dtp_enabled(two));
	*(volatile uint16_t *)one->semaphore = 0;
}

static void registers_only_what_is_new(void **state)
{
	dtp_probe_add(*state, "main", "one", 0, NULL);
	assert_int_equal(dtp_provider_enable(*state), 0);
	assert_int_equal(dtp_provider_enable(*state), 0);
	assert_int_equal(module.next, 1);
	dtp_probe_add(*state, "main", "two", 0, NULL);
	assert_int_equal(dtp_provider_enable(*state), 0);
	assert_int_equal(module.live, 2);
	assert_int_equal(module_has("main", "one", NULL), 1);
	assert_int_equal(module_has("main", "two", NULL), 1);
	assert_int_equal(dtp_provider_disable(*state), 0);
	assert_int_equal(module.live, 0);
	assert_int_equal(dtp_provider_enable(*state), 0);
	assert_int_equal(module.live, 1);
}

static void joins_many_registrations(void **state)
{
	for (int i = 0; i < 80; i++) {
		char name[8];

		snprintf(name, sizeof name, "p%d", i);
		dtp_probe_add(*state, "main", name, 0, NULL);
		assert_int_equal(dtp_provider_enable(*state), 0);
		assert_in_range(module.live, 1, 32);
		assert_int_equal(module_has("main", "p0", NULL), 1);
		assert_int_equal(module_has("main", name, NULL), 1);
	}
}

/* More than one registration may have: with the most that a probe can have of everything. */
static void registers_in_portions(void **state)
{
	const char *longest[DTP_MAXARGS];
	char type[128], name[64], function[256];

	memset(type, 't', sizeof type);
	type[127] = '\0';
	for (int i = 0; i < DTP_MAXARGS; i++)
		longest[i] = type;
	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof name, "p%062d", i);
		snprintf(function, sizeof function, "f%0254d", i);
		assert_non_null(dtp_probe_add(*state, function, name, DTP_MAXARGS, longest));
	}
	assert_int_equal(dtp_provider_enable(*state), 0);
	assert_int_equal(module.live, 3);
	assert_int_equal(module.dof[0]->nsites, module.dof[1]->nsites);
	assert_int_equal(2 * module.dof[0]->nsites + module.dof[2]->nsites, 5000);
	assert_int_equal(module_has(function, name, NULL), 1);
	assert_int_equal(dtp_provider_enable(*state), 0);
	assert_int_equal(module.live, 3);
}

static void removes_one_of_several(void **state)
{
	dtp_probe_t *one = dtp_probe_add(*state, "main", "one", 0, NULL);
	dtp_probe_t *two = dtp_probe_add(*state, "main", "two", 0, NULL);

	assert_int_equal(dtp_provider_enable(*state), 0);
	dtp_probe_add(*state, "main", "later", 0, NULL);
	assert_int_equal(dtp_probe_remove(one), 0);
	assert_int_equal(module_has("main", "one", NULL), 0);
	assert_int_equal(module_has("main", "two", NULL), 1);
	assert_int_equal(module_has("main", "later", NULL), 0);
	dtp_fire(one, NULL);
	assert_int_equal(dtp_probe_remove(one), 0);
	dtp_probe_free(two);
	assert_int_equal(module.live, 0);
	assert_int_equal(dtp_provider_enable(*state), 0);
	assert_int_equal(module_has("main", "one", NULL), 0);
	assert_int_equal(module_has("main", "later", NULL), 1);
	dtp_probe_free(NULL);
}

static void joins_probes_of_one_name(void **state)
{
	const struct dtrace_helper_probe *has;

	dtp_probe_add(*state, "a", "same", 1, types);
	dtp_probe_add(*state, "b", "same", 1, types);
	dtp_probe_add(*state, "b", "same", 1, types);
	assert_int_equal(dtp_provider_enable(*state), 0);
	assert_int_equal(module_has("a", "same", &has), 1);
	assert_int_equal(module_has("b", "same", NULL), 2);
	assert_int_equal(has->nargs, 1);
	assert_int_equal(has->nsites, 3);
}

static void tells_failure(void **state)
{
	dtp_probe_t *probe = dtp_probe_add(*state, "main", "one", 0, NULL);

	module.fail = ENOSPC;
	assert_int_equal(dtp_provider_enable(*state), -1);
	assert_int_equal(errno, ENOSPC);
	assert_int_equal(kept_look(), 0);
	module.fail = 0;
	setenv("DTRACE_DOF_INIT_DEVNAME", "/dev/null", 1);
	setenv("DTRACE_DOF_INIT_DISABLE", "1", 1);
	assert_int_equal(dtp_provider_enable(*state), -1);
	assert_int_equal(errno, ECANCELED);
	unsetenv("DTRACE_DOF_INIT_DISABLE");
	assert_int_equal(module_has("main", "one", NULL), 0);
	dtp_fire(probe, NULL);
	assert_int_equal(dtp_provider_enable(*state), 0);
	assert_int_equal(module_has("main", "one", NULL), 1);
}

static void others_wait_if_they_cannot_stay(void **state)
{
	dtp_probe_t *one = dtp_probe_add(*state, "main", "one", 0, NULL);

	dtp_probe_add(*state, "main", "two", 0, NULL);
	assert_int_equal(dtp_provider_enable(*state), 0);
	module.fail = ENOMEM;
	assert_int_equal(dtp_probe_remove(one), -1);
	assert_int_equal(errno, ENOMEM);
	assert_int_equal(module.live, 0);
	module.fail = 0;
	assert_int_equal(dtp_provider_enable(*state), 0);
	assert_int_equal(module_has("main", "one", NULL), 0);
	assert_int_equal(module_has("main", "two", NULL), 1);
}

static void failed(int result, int error)
{
	assert_int_equal(result, -1);
	assert_int_equal(errno, error);
}

/*
 * dtp_provider_enable() and dtp_probe_remove() report each error of ADDDOF, and no probe is lost.
 */
static void tells_each_refusal_of_the_module(void **state)
{
	static const int errors[] = {EFAULT, EINVAL, E2BIG, ENOSPC, EDQUOT, ENOMEM, EINTR};
	dtp_probe_t *one = dtp_probe_add(*state, "main", "one", 0, NULL);

	dtp_probe_add(*state, "main", "two", 0, NULL);
	for (unsigned int i = 0; i < sizeof errors / sizeof errors[0]; i++) {
		module.fail = errors[i];
		failed(dtp_provider_enable(*state), errors[i]);
		assert_int_equal(module.live, 0);
		module.fail = 0;
		assert_int_equal(dtp_provider_enable(*state), 0);
		assert_int_equal(module_has("main", "two", NULL), 1);
		module.fail = errors[i];
		failed(dtp_probe_remove(one), errors[i]);
		module.fail = 0;
		dtp_probe_free(one);
		one = dtp_probe_add(*state, "main", "one", 0, NULL);
	}
	assert_int_equal(dtp_provider_enable(*state), 0);
	assert_int_equal(module_has("main", "one", NULL), 1);
	module.fail_remove = EINTR;
	failed(dtp_probe_remove(one), EINTR);
	failed(dtp_provider_disable(*state), EINTR);
	module.fail_remove = 0;
	assert_int_equal(dtp_probe_remove(one), 0);
	assert_int_equal(module_has("main", "one", NULL), 0);
	assert_int_equal(module_has("main", "two", NULL), 1);
}

/*
 * The device cannot be opened. The first registration is for sessions only, the second one the
 * module's.
 */
static void tells_why_there_is_no_module(void **state)
{
	static const int errors[] = {ENOENT, ENODEV, EACCES, EMFILE, ENFILE};
	dtp_probe_t *one = dtp_probe_add(*state, "main", "one", 0, NULL);

	for (unsigned int i = 0; i < sizeof errors / sizeof errors[0]; i++) {
		refusal.open = errors[i];
		assert_int_equal(dtp_provider_enable(*state), 0);
		assert_int_equal(module.live, 0);
		assert_int_equal(dtp_provider_disable(*state), 0);
		assert_int_equal(kept_look(), 0);
		refusal.open = 0;
		assert_int_equal(dtp_provider_enable(*state), 0);
		assert_int_equal(module.live, 1);
		refusal.open = errors[i];
		failed(dtp_probe_remove(one), errors[i]);
		failed(dtp_provider_disable(*state), errors[i]);
		assert_int_equal(module_has("main", "one", NULL), 1);
		refusal.open = 0;
		assert_int_equal(dtp_provider_disable(*state), 0);
		assert_int_equal(module.live, 0);
	}
	refusal.anonymous = ENOMEM;
	failed(dtp_provider_enable(*state), ENOMEM);
	refusal.anonymous = 0;
	assert_int_equal(dtp_provider_enable(*state), 0);
	assert_int_equal(module_has("main", "one", NULL), 1);
}

/*
 * Without the module, sessions find the registration in memory that cannot be written by mistake.
 * It costs one mapping and no descriptor, and ends with the registration.
 */
static void keeps_for_sessions(void **state)
{
	dtp_probe_t *one = dtp_probe_add(*state, "main", "one", 3, types), *two;
	const int fd = next_fd();
	uint64_t instance;
	int number;

	refusal.open = ENOENT;
	assert_int_equal(kept_look(), 0);
	assert_int_equal(dtp_provider_enable(*state), 0);
	assert_int_equal(dtp_provider_enable(*state), 0);
	keeps("one");
	assert_false(kept.writable);
	assert_int_equal(kept.first->hello.version, DTRACE_JOIN_VERSION);
	assert_ptr_equal(kept.first->dof.helper.dofhp_dof, kept.first + 1);
	assert_string_equal(kept.first->dof.helper.dofhp_mod, "script");
	number = kept.first->dof.number;
	instance = kept.first->hello.instance;
	two = dtp_probe_add(*state, "main", "two", 0, NULL);
	assert_int_equal(dtp_provider_enable(*state), 0);
	assert_int_equal(kept_look(), 2);
	assert_int_equal(dtp_probe_remove(one), 0);
	keeps("two");
	assert_int_not_equal(kept.first->dof.number, number);
	assert_int_equal(kept.first->hello.instance, instance);
	assert_int_equal(dtp_provider_disable(*state), 0);
	assert_int_equal(kept_look(), 0);
	assert_int_equal(dtp_provider_enable(*state), 0);
	keeps("two");
	dtp_probe_free(two);
	assert_int_equal(kept_look(), 0);
	assert_int_equal(next_fd(), fd);
}

/* When the module comes, the next dtp_provider_enable() registers there too, by another number. */
static void registers_when_the_module_comes(void **state)
{
	dtp_probe_add(*state, "main", "one", 0, NULL);
	refusal.open = ENOENT;
	assert_int_equal(dtp_provider_enable(*state), 0);
	refusal.open = 0;
	assert_int_equal(dtp_provider_enable(*state), 0);
	assert_int_equal(module.live, 1);
	keeps("one");
	assert_int_equal(kept.first->dof.number, module.next - 1);
}

/* A registration that the module does not end stays for sessions, too. */
static void keeps_what_the_module_keeps(void **state)
{
	dtp_probe_add(*state, "main", "one", 0, NULL);
	assert_int_equal(dtp_provider_enable(*state), 0);
	module.fail_remove = EINTR;
	failed(dtp_provider_disable(*state), EINTR);
	keeps("one");
	module.fail_remove = 0;
	assert_int_equal(dtp_provider_disable(*state), 0);
	assert_int_equal(kept_look(), 0);
}

/* A child has what its parent keeps, and does not change it. */
static void child_keeps_its_own(void **state)
{
	dtp_probe_t *one = dtp_probe_add(*state, "main", "one", 0, NULL);
	int status;
	pid_t child;

	refusal.open = ENOENT;
	dtp_probe_add(*state, "main", "two", 0, NULL);
	assert_int_equal(dtp_provider_enable(*state), 0);
	child = fork();
	if (!child)
		_exit(kept_look() != 1 || dtp_probe_remove(one) || kept_look() != 1 ||
		      dtp_provider_disable(*state) || kept_look());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	keeps("one");
}

/*
 * The process may not make files in memory, or has no memory. With the module that does not matter.
 */
static void tells_why_nothing_is_kept(void **state)
{
	static const int errors[] = {EPERM, ENOSYS, EMFILE, ENFILE, ENOMEM};
	const struct rlimit none = {0};
	int status;
	pid_t child;

	dtp_probe_add(*state, "main", "one", 0, NULL);
	for (unsigned int i = 0; i < sizeof errors / sizeof errors[0]; i++) {
		refusal.open = ENOENT;
		refusal.memfd = errors[i];
		failed(dtp_provider_enable(*state), errors[i]);
		refusal.memfd = 0;
		refusal.shared = errors[i];
		failed(dtp_provider_enable(*state), errors[i]);
		refusal.open = 0;
		assert_int_equal(dtp_provider_enable(*state), 0);
		assert_int_equal(kept_look(), 0);
		assert_int_equal(dtp_provider_disable(*state), 0);
		refusal.shared = 0;
	}
	refusal.open = ENOENT;
	countdown = 1;
	failed(dtp_provider_enable(*state), ENOMEM);
	countdown = 0;
	child = fork();
	if (!child) /* which a signal would end */
		_exit(setrlimit(RLIMIT_FSIZE, &none) || dtp_provider_enable(*state) != -1 ||
		      errno != EFBIG);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(dtp_provider_enable(*state), 0);
	keeps("one");
}

static void refused(const void *made, int error)
{
	assert_null(made);
	assert_int_equal(errno, error);
}

static void refuses_what_cannot_be(void **state)
{
	static const char *const empty[] = {""};
	char longest[257];
	const char *type = longest + 128; /* 128 characters */

	memset(longest, 'x', sizeof longest);
	longest[256] = '\0';
	refused(dtp_provider_create("app1", "script"), EINVAL);
	refused(dtp_provider_create("1app", "script"), EINVAL);
	refused(dtp_provider_create("a-b", "script"), EINVAL);
	refused(dtp_provider_create("", "script"), EINVAL);
	refused(dtp_provider_create(longest + 203, "script"), EINVAL);
	refused(dtp_provider_create("app", "a:b"), EINVAL);
	refused(dtp_provider_create("app", longest + 192), EINVAL);
	refused(dtp_probe_add(*state, "main", "a b", 0, NULL), EINVAL);
	refused(dtp_probe_add(*state, "main", longest + 192, 0, NULL), EINVAL);
	refused(dtp_probe_add(*state, longest, "one", 0, NULL), EINVAL);
	refused(dtp_probe_add(*state, "", "one", 0, NULL), EINVAL);
	refused(dtp_probe_add(*state, "main", "one", 1, empty), EINVAL);
	refused(dtp_probe_add(*state, "main", "one", 1, &type), EINVAL);
	refused(dtp_probe_add(*state, "main", "one", DTP_MAXARGS + 1, NULL), E2BIG);
	assert_non_null(dtp_probe_add(*state, longest + 1, longest + 193, DTP_MAXARGS, NULL));
	assert_int_equal(dtp_provider_enable(*state), 0);
	assert_int_equal(module_has(longest + 1, longest + 193, NULL), 1);
}

/* A name with a character that it may not have, at its begin, within and at its end. */
static void refuses_characters(void **state)
{
	static const char *const parts[] = {" ",    ":",    "\t",   "\n",
					    "\x01", "\x7f", "\x80", "\xc3\xa4"};
	static const char *const forms[] = {"%sab", "a%sb", "ab%s"};
	char name[16];

	for (unsigned int i = 0; i < sizeof parts / sizeof parts[0] * 3; i++) {
		snprintf(name, sizeof name, forms[i % 3], parts[i / 3]);
		refused(dtp_provider_create(name, "script"), EINVAL);
		refused(dtp_provider_create("app", name), EINVAL);
		refused(dtp_probe_add(*state, name, "one", 0, NULL), EINVAL);
		refused(dtp_probe_add(*state, "main", name, 0, NULL), EINVAL);
	}
	refused(dtp_provider_create(NULL, "script"), EINVAL);
	refused(dtp_provider_create("app", NULL), EINVAL);
	refused(dtp_provider_create("app", ""), EINVAL);
	refused(dtp_provider_create("a.b", "script"), EINVAL);
	refused(dtp_probe_add(*state, NULL, "one", 0, NULL), EINVAL);
	refused(dtp_probe_add(*state, "main", NULL, 0, NULL), EINVAL);
	refused(dtp_probe_add(*state, "main", "", 0, NULL), EINVAL);
	assert_non_null(dtp_probe_add(*state, "~a-b.c!", "*[1]?", 0, NULL));
	assert_int_equal(dtp_provider_enable(*state), 0);
	assert_int_equal(module_has("~a-b.c!", "*[1]?", NULL), 1);
}

/* There is no memory for the code of a probe. */
static void tells_why_there_is_no_site(void **state)
{
	static const int errors[] = {EMFILE, ENFILE, EACCES, EPERM, ENOMEM};

	for (unsigned int i = 0; i < sizeof errors / sizeof errors[0]; i++) {
		refusal.memfd = errors[i];
		refused(dtp_probe_add(*state, "main", "one", 0, NULL), errors[i]);
		refusal.memfd = 0;
		refusal.executable = errors[i];
		refused(dtp_probe_add(*state, "main", "one", 0, NULL), errors[i]);
		refusal.executable = 0;
	}
	assert_non_null(dtp_probe_add(*state, "main", "one", 0, NULL));
	assert_int_equal(dtp_provider_enable(*state), 0);
	assert_int_equal(module_has("main", "one", NULL), 1);
}

/* A location is not given to another probe at once, and not while its semaphore is raised. */
static void keeps_places_apart(void **state)
{
	dtp_probe_t *one = dtp_probe_add(*state, "main", "one", 0, NULL), *other;
	volatile uint16_t *semaphore = (volatile uint16_t *)one->semaphore;

	*semaphore = 1;
	dtp_probe_free(one);
	for (int i = 0; i < 1000; i++) {
		other = dtp_probe_add(*state, "main", "other", 0, NULL);
		assert_non_null(other);
		assert_ptr_not_equal(other->semaphore, semaphore);
	}
	*semaphore = 0;
}

static void goes_along_with_fork(void **state)
{
	dtp_probe_t *one = dtp_probe_add(*state, "main", "one", 0, NULL);
	int status;
	pid_t child;

	assert_int_equal(dtp_provider_enable(*state), 0);
	child = fork();
	if (!child)
		_exit(dtp_probe_remove(one) || module.live);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(module.live, 1);
}

/* Without memory nothing is made, and nothing is lost: the next attempt succeeds. */
static void allocations_fail(void **state)
{
	const struct dtrace_helper_probe *has;
	dtp_provider_t *p;
	dtp_probe_t *probe = NULL;

	countdown = 1;
	p = dtp_provider_create("app", "script");
	countdown = 0;
	assert_null(p);
	for (unsigned long n = 1; !probe; n++) {
		assert_in_range(n, 1, 100);
		countdown = n;
		errno = 0;
		probe = dtp_probe_add(*state, "main", "one", 3, types);
		if (countdown)
			assert_true(n >
				    6); /* there are six at least: the probe, its names and types */
		else
			assert_null(probe);
		if (!probe)
			assert_int_equal(errno, ENOMEM);
		countdown = 0;
	}
	assert_int_equal(dtp_provider_enable(*state), 0);
	assert_int_equal(module_has("main", "one", &has), 1);
	assert_int_equal(has->nargs, 3);
	assert_int_equal(module.live, 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(registers_all_that_it_needs),
		TEST(is_enabled_by_its_own_semaphore),
		TEST(registers_only_what_is_new),
		TEST(joins_many_registrations),
		TEST(registers_in_portions),
		TEST(removes_one_of_several),
		TEST(joins_probes_of_one_name),
		TEST(tells_failure),
		TEST(tells_each_refusal_of_the_module),
		TEST(tells_why_there_is_no_module),
		TEST(keeps_for_sessions),
		TEST(registers_when_the_module_comes),
		TEST(keeps_what_the_module_keeps),
		TEST(child_keeps_its_own),
		TEST(tells_why_nothing_is_kept),
		TEST(others_wait_if_they_cannot_stay),
		TEST(refuses_what_cannot_be),
		TEST(refuses_characters),
		TEST(tells_why_there_is_no_site),
		TEST(keeps_places_apart),
		TEST(goes_along_with_fork),
		TEST(allocations_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
