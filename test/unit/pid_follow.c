/* SPDX-License-Identifier: MIT */
/*
 * pid_follow.c - descriptions of what processes map, execute and fork later, and those of all
 * processes. The processes are real: this one and its children; the world is the test's.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <dtrace/dof.h>
#include <dtrace/fasttrap.h>
#include "../../libdtrace/pid/impl.h"
#include "consume_fake.h"

#define LATER (UINT64_MAX / 2) /* a time that does not come */

static const char *built;  /* the library, as it was built */
static char directory[32]; /* where each test has a copy */
static char library[64];   /* the copy */
static void *loaded;	   /* it, or NULL */
static char told[1024];	   /* the last message about a process */

int probed(int x);
int __attribute__((noinline)) probed(int x)
{
	return x + 1;
}

/* A function, and the part of it that is seldom executed. */
extern const char parted[], parted_cold[];
__asm__(".text\n"
	".type parted, @function\n"
	"parted:\n"
	"	ret\n"
	"	nop\n"
	".size parted, . - parted\n"
	".type parted.cold, @function\n"
	"parted.cold:\n"
	"parted_cold:\n"
	"	ret\n"
	"	nop\n"
	".size parted.cold, . - parted.cold\n");

/* ---- the world ---- */

static struct {
	int registrations, file_registrations;
	pid_t pid; /* of the last registration */
	uint32_t nsites;
	uint64_t site;	/* its first site: address, or offset in the file */
	ino_t ino;	/* of the file */
	int points;	/* stop points that were made */
	int released;	/* thread that may go on */
	int ended;	/* the last that was removed */
	int exec_point; /* number of the last stop point of that kind */
	int address_point;
	dtrace_stop_exec_t exec;
	dtrace_stop_address_t address;
	dtrace_stopped_t news;
	bool has_news;
} seen;

/* Return where the first site of a DOF is, and note how many there are. */
static uint64_t first_site(const dof_helper_t *helper)
{
	const char *file = (const char *)(uintptr_t)helper->dofhp_dof;
	const dof_hdr_t *dof = (const void *)file;

	for (uint32_t i = 0; i < dof->dofh_secnum; i++) {
		const dof_sec_t *section =
			(const void *)(file + dof->dofh_secoff + i * dof->dofh_secsize);

		if (section->dofs_type != DOF_SECT_PRSITES)
			continue;
		seen.nsites = ((const dof_prsites_t *)(file + section->dofs_offset))->ps_nsites;
		return ((const dof_siteaddr_t *)(file + section->dofs_offset +
						 sizeof(dof_prsites_t)))
			->sa_addr;
	}
	return 0;
}

static int process(struct dt_world *w, unsigned long request, void *arg)
{
	const dtrace_ft_register_t *reg = arg;
	const dtrace_ft_register_file_t *file = arg;
	struct stat st;

	(void)w;
	switch (request) {
	case DTRACEFTIOC_REGISTER:
		seen.pid = reg->dtfr_pid;
		seen.site = reg->dtfr_dof + first_site(&reg->dtfr_helper);
		return ++seen.registrations;
	case DTRACEFTIOC_REGISTER_FILE:
		assert_int_equal(fstat(file->dtff_fd, &st), 0);
		seen.ino = st.st_ino;
		seen.site = first_site(&file->dtff_helper);
		return ++seen.file_registrations;
	case DTRACEFTIOC_STOP_EXEC:
		seen.exec = *(const dtrace_stop_exec_t *)arg;
		return seen.exec_point = ++seen.points;
	case DTRACEFTIOC_STOP_ADDRESS:
		seen.address = *(const dtrace_stop_address_t *)arg;
		return seen.address_point = ++seen.points;
	case DTRACEFTIOC_STOP_END:
		seen.ended = (int)(intptr_t)arg;
		return 0;
	case DTRACEFTIOC_STOP_RELEASE:
		seen.released = (int)(intptr_t)arg;
		return 0;
	default:
		errno = ENOTTY;
		return -1;
	}
}

static void report_stopped(struct dt_world *w, dt_world_stopped_f *func, void *arg)
{
	(void)w;
	if (seen.has_news && func)
		func(&seen.news, arg);
	seen.has_news = false;
}

static int handler(const dtrace_procdata_t *data, void *arg)
{
	(void)arg;
	snprintf(told, sizeof(told), "%d: %s", (int)data->dtpcd_pid, data->dtpcd_msg);
	return DTRACE_HANDLE_OK;
}

static struct dt_world_ops ops;
static struct dt_world world = {.ops = &ops};

static int setup(void **state)
{
	char command[PATH_MAX + 64];

	fake_setup(state);
	fake.processes = true;
	ops = *dtp->world->ops;
	ops.process = process;
	ops.work = report_stopped;
	dtp->world = &world;
	dtrace_handle_proc(dtp, handler, NULL);
	memset(&seen, 0, sizeof(seen));
	*told = '\0';
	strcpy(directory, "/tmp/pid_follow.XXXXXX");
	if (!mkdtemp(directory))
		return -1;
	snprintf(library, sizeof(library), "%s/libfollowed.so", directory);
	snprintf(command, sizeof(command), "cp '%s' %s", built, library);
	return system(command);
}

static int teardown(void **state)
{
	if (loaded)
		dlclose(loaded);
	loaded = NULL;
	unlink(library);
	rmdir(directory);
	return fake_teardown(state);
}

static void load(void)
{
	loaded = dlopen(library, RTLD_NOW);
	if (!loaded)
		fail_msg("%s", dlerror());
}

/* Return the address of the library's function. */
static uint64_t followed_address(void)
{
	return (uintptr_t)dlsym(loaded, "followed");
}

/* Look at the processes now. */
static void follow(void)
{
	dtp->pid->nextlook = 0;
	dt_pid_follow(dtp);
}

static dtrace_probedesc_t desc;
static struct dt_pid_error error;

/* Describe probes of a process, or with 0 of all of them. */
static int describe(pid_t pid, const char *mod, const char *func, bool later)
{
	desc = (dtrace_probedesc_t){.dtpd_name = "entry"};
	error = (struct dt_pid_error){.fault = DT_PID_NONE};
	if (pid)
		snprintf(desc.dtpd_provider, sizeof(desc.dtpd_provider), "pid%d", (int)pid);
	else
		strcpy(desc.dtpd_provider, "pid*");
	snprintf(desc.dtpd_mod, sizeof(desc.dtpd_mod), "%s", mod);
	snprintf(desc.dtpd_func, sizeof(desc.dtpd_func), "%s", func);
	return dt_pid_describe(dtp, &desc, later, &error);
}

static void thread_stops(pid_t pid, int point, uint32_t flags, uint32_t missed)
{
	seen.news = (dtrace_stopped_t){.dtfd_pid = pid,
				       .dtfd_tid = pid,
				       .dtfd_point = (uint32_t)point,
				       .dtfd_flags = flags,
				       .dtfd_missed = missed};
	seen.has_news = true;
	dt_stop_work(dtp);
}

/* Stop a thread, which must go on then. */
static void thread_stops_and_goes_on(pid_t pid, int point)
{
	seen.released = 0;
	thread_stops(pid, point, DTRACE_STOP_STOPPED, 0);
	assert_int_equal(seen.released, pid);
}

/* Return a child that waits for its end. */
static pid_t child_begin(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	return pid;
}

static void child_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* ---- one process ---- */

static void libraries_that_are_loaded_later(void **state)
{
	(void)state;
	assert_int_equal(describe(getpid(), "libfollowed.so", "followed", false), -1);
	assert_int_equal(error.fault, DT_PID_LIB);
	assert_int_equal(describe(getpid(), "libfollowed.so", "followed", true), 0);
	assert_int_equal(seen.registrations, 0);
	/* Both stop points are this process's. The dynamic linker's is where debuggers stop it. */
	assert_int_equal(seen.exec.dtfx_pid, getpid());
	assert_int_equal(seen.exec.dtfx_flags, 0);
	assert_int_equal(seen.address.dtfa_pid, getpid());
	assert_int_equal(seen.address.dtfa_flags, 0);
	assert_int_equal(seen.address.dtfa_address, _r_debug.r_brk);
	follow();
	assert_int_equal(seen.registrations, 0);
	load();
	dtp->pid->nextlook = LATER;
	dt_pid_follow(dtp);
	assert_int_equal(seen.registrations, 0);
	follow();
	assert_int_equal(seen.registrations, 1);
	assert_int_equal(seen.pid, getpid());
	assert_int_equal(seen.site, followed_address());
	follow();
	assert_int_equal(seen.registrations, 1);
	assert_int_equal(seen.points, 2);
	assert_string_equal(told, "");
}

static void threads_stop_when_libraries_are_loaded(void **state)
{
	(void)state;
	assert_int_equal(describe(getpid(), "libfollowed*", "followed", true), 0);
	load();
	thread_stops_and_goes_on(getpid(), seen.address_point);
	assert_int_equal(seen.registrations, 1);
	assert_int_equal(seen.site, followed_address());
	/* Threads that did not stop count only if descendants are followed. */
	thread_stops(getpid(), seen.address_point, 0, 3);
	follow();
	assert_string_equal(told, "");
}

/* What a description names is there: new files do not concern it. */
static void complete_descriptions(void **state)
{
	(void)state;
	assert_int_equal(describe(getpid(), "a.out", "probed", false), 0);
	assert_string_equal(desc.dtpd_mod, "a.out");
	assert_int_equal(seen.registrations, 1);
	assert_int_equal(seen.site, (uintptr_t)probed);
	assert_int_equal(seen.address_point, 0);
	load();
	follow();
	assert_int_equal(seen.registrations, 1);
	assert_int_equal(describe(getpid(), "libfollowed", "followed", false), 0);
	assert_string_equal(desc.dtpd_mod, "libfollowed.so");
	assert_int_equal(seen.registrations, 2);
	assert_int_equal(seen.address_point, 0);
	assert_int_equal(describe(getpid(), "", "no_such_function", false), -1);
	assert_int_equal(error.fault, DT_PID_FUNC);
	assert_string_equal(error.message,
			    "failed to find function no_such_function in the modules of the "
			    "process");
	assert_int_equal(describe(getpid(), "libfollowed.so", "follow", false), -1);
	assert_string_equal(error.message, "failed to find function follow in libfollowed.so");
	assert_string_equal(error.hint, "did you mean followed?");
}

/* A pattern means whole functions, unless it asks for their parts. */
static void parts_of_functions(void **state)
{
	(void)state;
	assert_int_equal(describe(getpid(), "a.out", "parted*", false), 0);
	assert_int_equal(seen.nsites, 1);
	assert_int_equal(seen.site, (uintptr_t)parted);
	assert_int_equal(describe(getpid(), "a.out", "parted.cold", false), 0);
	assert_int_equal(seen.nsites, 1);
	assert_int_equal(seen.site, (uintptr_t)parted_cold);
	assert_int_equal(describe(getpid(), "a.out", "*arted.cold", false), 0);
	assert_int_equal(seen.nsites, 1);
	assert_int_equal(seen.site, (uintptr_t)parted_cold);
}

static void processes_that_have_ended(void **state)
{
	pid_t pid = child_begin();

	(void)state;
	assert_int_equal(describe(pid, "a.out", "probed", false), 0);
	assert_int_equal(seen.pid, pid);
	child_end(pid);
	assert_int_equal(describe(pid, "a.out", "probed", false), -1);
	assert_int_equal(error.fault, DT_PID_GRAB);
	assert_non_null(strstr(error.message, ": no such process"));
	assert_int_equal(describe(pid, "a.out", "probed", true), 0);
	follow();
	assert_int_equal(seen.registrations, 1);
}

/* A program that was executed unnoticed is found when it is looked for. */
static void programs_that_are_executed_later(void **state)
{
	char number[16], byte;
	int go[2], ready[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(go) | pipe(ready), 0);
	snprintf(number, sizeof(number), "%d", ready[1]);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (read(go[0], &byte, 1) == 1)
			execl("/proc/self/exe", "pid_follow", "wait", number, NULL);
		_exit(1);
	}
	close(ready[1]);
	assert_int_equal(describe(pid, "a.out", "probed", false), 0);
	assert_int_equal(seen.registrations, 1);
	assert_int_equal(write(go[1], "", 1), 1);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	follow();
	assert_int_equal(seen.registrations, 2);
	assert_int_equal(seen.pid, pid);
	follow();
	assert_int_equal(seen.registrations, 2);
	child_end(pid);
	close(go[0]);
	close(go[1]);
	close(ready[0]);
}

/* ---- descendants ---- */

/* A description is looked for anew in each program that the process or a descendant executes. */
static void programs_of_descendants(void **state)
{
	pid_t pid = child_begin();

	(void)state;
	dtrace_setopt(dtp, "followfork", NULL);
	assert_int_equal(describe(getpid(), "a.out", "probed", false), 0);
	assert_int_equal(seen.exec.dtfx_flags, DTRACE_STOP_FOLLOW);
	assert_int_equal(seen.registrations, 1);
	thread_stops_and_goes_on(pid, seen.exec_point);
	assert_int_equal(seen.registrations, 2);
	assert_int_equal(seen.pid, pid);
	assert_int_equal(dtp->pid->nfollowed, 1);
	thread_stops_and_goes_on(pid, seen.exec_point);
	assert_int_equal(seen.registrations, 3);
	assert_int_equal(dtp->pid->nfollowed, 1);
	thread_stops_and_goes_on(getpid(), seen.exec_point);
	assert_int_equal(seen.registrations, 4);
	assert_int_equal(seen.pid, getpid());
	assert_int_equal(dtp->pid->nfollowed, 1);
	child_end(pid);
	/* A descendant that has ended is dropped when another one has its number. */
	thread_stops_and_goes_on(pid, seen.exec_point);
	assert_int_equal(dtp->pid->nfollowed, 0);
	assert_int_equal(seen.registrations, 4);
	follow();
	assert_string_equal(told, "");
}

static void programs_that_were_not_stopped(void **state)
{
	pid_t pid = child_begin();

	(void)state;
	dtrace_setopt(dtp, "followfork", NULL);
	assert_int_equal(describe(getpid(), "a.out", "probed", false), 0);
	thread_stops(pid, seen.exec_point, DTRACE_STOP_STOPPED, 2);
	follow();
	assert_string_equal(told, "0: 2 programs that were executed could not be stopped, and ran "
				  "before they were traced");
	thread_stops(pid, seen.exec_point, 0, 0);
	follow();
	assert_string_equal(told, "0: 1 programs that were executed could not be stopped, and ran "
				  "before they were traced");
	*told = '\0';
	follow();
	assert_string_equal(told, "");
	child_end(pid);
}

/* Ended descendants are dropped before there are many. */
static void many_descendants(void **state)
{
	(void)state;
	dtrace_setopt(dtp, "followfork", NULL);
	assert_int_equal(describe(getpid(), "a.out", "probed", false), 0);
	for (int i = 0; i < 70; i++) {
		pid_t pid = child_begin();

		thread_stops(pid, seen.exec_point, DTRACE_STOP_STOPPED, 0);
		assert_int_equal(seen.pid, pid);
		child_end(pid);
		assert_in_range(dtp->pid->nfollowed, 1, 64);
	}
	assert_int_equal(seen.registrations, 71);
}

/* ---- all processes ---- */

/* Return the offset of the library's function in its file. */
static uint64_t followed_offset(void)
{
	struct link_map *map;
	Dl_info info;

	assert_int_equal(dlinfo(loaded, RTLD_DI_LINKMAP, &map), 0);
	assert_int_not_equal(dladdr((void *)(uintptr_t)followed_address(), &info), 0);
	return followed_address() - (uintptr_t)info.dli_fbase;
}

static ino_t library_ino(void)
{
	struct stat st;

	assert_int_equal(stat(library, &st), 0);
	return st.st_ino;
}

static void files_that_are_mapped(void **state)
{
	(void)state;
	load();
	assert_int_equal(describe(0, "libfollowed.so", "followed", false), 0);
	assert_int_equal(seen.file_registrations, 1);
	assert_int_equal(seen.registrations, 0);
	assert_int_equal(seen.ino, library_ino());
	assert_int_equal(seen.site, followed_offset());
	assert_string_equal(desc.dtpd_provider, "pid\\*");
	assert_string_equal(desc.dtpd_mod, "libfollowed.so");
	assert_int_equal(describe(0, "libfollowed", "followed", false), 0);
	assert_string_equal(desc.dtpd_mod, "libfollowed.so");
	assert_int_equal(describe(0, "libfollowed*", "followed", false), 0);
	assert_string_equal(desc.dtpd_mod, "libfollowed*");
	assert_int_equal(seen.file_registrations, 3);
	assert_int_equal(describe(0, "libfollowed.so", "other", false), -1);
	assert_int_equal(error.fault, DT_PID_FUNC);
	assert_string_equal(error.message, "failed to find function other in libfollowed.so");
	assert_int_equal(describe(0, "libfollowed.so", "other*", false), 0);
	assert_int_equal(seen.file_registrations, 3);
}

static void files_that_are_not_mapped(void **state)
{
	(void)state;
	assert_int_equal(describe(0, "libfollowed.so", "followed", false), -1);
	assert_int_equal(error.fault, DT_PID_LIB);
	assert_int_equal(describe(0, "libfollowed.so", "followed", true), 0);
	assert_string_equal(desc.dtpd_mod, "libfollowed.so");
	assert_int_equal(seen.file_registrations, 0);
	assert_int_equal(describe(0, library, "followed", false), 0);
	assert_int_equal(seen.file_registrations, 1);
	assert_int_equal(seen.ino, library_ino());
	assert_string_equal(desc.dtpd_mod, "libfollowed.so");
	assert_int_equal(describe(0, directory, "followed", false), -1);
	assert_int_equal(describe(0, "", "followed", false), -1);
	assert_string_equal(error.message, "provider pid* needs a module and functions");
	assert_int_equal(describe(0, "", "followed", true), 0);
	assert_int_equal(seen.file_registrations, 1);
}

/* A library of the system need not be mapped by any process. */
static void files_that_are_installed(void **state)
{
	(void)state;
	if (access("/lib/x86_64-linux-gnu/libBrokenLocale.so.1", R_OK) != 0)
		skip();
	assert_int_equal(describe(0, "libBrokenLocale.so.1", "no_such*", false), 0);
	assert_string_equal(desc.dtpd_mod, "libBrokenLocale.so.1");
}

/* Kernel events report files that are mapped later, if the user has a right to them. */
static void files_that_are_mapped_later(void **state)
{
	(void)state;
	assert_int_equal(describe(0, "libfollowed.so", "followed", true), 0);
	if (!dtp->pid->events)
		skip();
	load();
	follow();
	assert_int_equal(seen.file_registrations, 1);
	assert_int_equal(seen.ino, library_ino());
	assert_int_equal(seen.site, followed_offset());
	follow();
	assert_int_equal(seen.file_registrations, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(libraries_that_are_loaded_later),
		TEST(threads_stop_when_libraries_are_loaded),
		TEST(complete_descriptions),
		TEST(parts_of_functions),
		TEST(processes_that_have_ended),
		TEST(programs_that_are_executed_later),
		TEST(programs_of_descendants),
		TEST(programs_that_were_not_stopped),
		TEST(many_descendants),
		TEST(files_that_are_mapped),
		TEST(files_that_are_not_mapped),
		TEST(files_that_are_installed),
		TEST(files_that_are_mapped_later),
	};

	if (argc == 3) { /* it is a child, which waits for its end */
		if (write(atoi(argv[2]), "", 1) == 1)
			pause();
		return 1;
	}
	if (argc != 2)
		return 2;
	built = argv[1];
	return probed(-1) || cmocka_run_group_tests(tests, NULL, NULL);
}
