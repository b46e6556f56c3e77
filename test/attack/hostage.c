/* SPDX-License-Identifier: MIT */
/*
 * hostage.c - a process that keeps its own address space locked, with the rights of an ordinary
 * user. A thread reads through /proc/self/mem from a mapping of a FUSE file whose server does not
 * answer. So it holds mmap_lock for reading. Another thread waits for the lock for writing, and all
 * other threads wait behind that one.
 *
 *	attack-hostage hold DIRECTORY [FILE]	mount the file system there (in a namespace of its
 *						own), map FILE, print "hostage PID SERVER", lock the
 *						address space, print "held", and register with the
 *						helper device; the lock is released when the server
 *						ends
 *	attack-hostage register PID		register a pid probe in that process, through the
 *						fasttrap device
 *	attack-hostage forks SERVER COMMAND...	run the command; print whether forks of another
 *						process wait, whether the command can be killed, and
 *						whether forks go on when the server is killed
 *	attack-hostage points			set stop points in this program, print "set", and
 *						read the number of a SERVER, whose hostage has the
 *						program mapped; then print how long it takes to end
 *						the stop points, and kill the server
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <dtrace/fasttrap.h>
#include <dtrace/helper.h>
#include <dtrace/ioctl.h>
#include "../lib/dof.h"
#include "lib/fuse.h"

static const char *directory;

/* ---- the hostage ---- */

static char *mapped;
static volatile pid_t writer;
static volatile int locked;

static void *read_mapping(void *arg)
{
	int fd = open("/proc/self/mem", O_RDONLY);
	char byte;

	(void)arg;
	if (pread(fd, &byte, 1, (off_t)(uintptr_t)mapped) != 1)
		pthread_exit(NULL);
	return NULL;
}

static void *write_mappings(void *arg)
{
	(void)arg;
	writer = (pid_t)syscall(SYS_gettid);
	while (!locked)
		usleep(1000);
	mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return NULL;
}

/* Return the state of a thread of this process, as a letter. */
static char state_of(pid_t tid)
{
	char path[64], text[256] = "", *end;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	fd = open(path, O_RDONLY);
	if (fd == -1 || read(fd, text, sizeof(text) - 1) <= 0)
		return 0;
	close(fd);
	end = strrchr(text, ')');
	return end ? end[2] : 0;
}

/* Make DOF of one probe at a site of this program. */
static struct dof_bytes probe_dof(const char *provider, uint64_t site)
{
	enum { PRSITES = DOF_OTHERS, PROVIDER, NSECTIONS };
	struct {
		dof_prsites_t head;
		dof_siteaddr_t address;
		dof_site_t site;
	} sites = {{.ps_nsites = 1}, {.sa_addr = (int64_t)site}, {.st_func = DOF_STRIDX_NONE}};
	struct dof_bytes strings = {0}, file;
	dof_probe_t probe = {0};
	dof_provider_t pv;

	dof_add_string(&strings, "");
	probe.dofpr_func = dof_add_string(&strings, "main");
	probe.dofpr_name = dof_add_string(&strings, "entry");
	pv = dof_provider(dof_add_string(&strings, provider));
	pv.dofpv_prsites = PRSITES;
	dof_begin(&file, NSECTIONS);
	dof_add_section(&file, DOF_STRTAB, DOF_SECT_STRTAB, 8, 0, strings.data, strings.size);
	dof_add_section(&file, DOF_PROBES, DOF_SECT_PROBES, 8, sizeof(probe), &probe,
			sizeof(probe));
	dof_add_section(&file, DOF_PRARGS, DOF_SECT_PRARGS, 8, 1, "", 0);
	dof_add_section(&file, DOF_PROFFS, DOF_SECT_PROFFS, 8, 4, "", 0);
	dof_add_section(&file, PRSITES, DOF_SECT_PRSITES, 8, 0, &sites, sizeof(sites));
	dof_add_section(&file, PROVIDER, DOF_SECT_PROVIDER, 8, 0, &pv, sizeof(pv));
	dof_end(&file, NSECTIONS, DOF_VERSION_2);
	return file;
}

/* Keep the address space locked. file: NULL, or a program to map before. */
static int hold(const char *file)
{
	int helper = open(DTRACE_HELPER_DEVICE, O_RDWR), told[2], fd, fuse;
	struct dof_bytes dof = probe_dof("hostage", (uint64_t)(uintptr_t)hold);
	char path[512], byte;
	pthread_t thread;
	pid_t server;

	if (file) {
		fd = open(file, O_RDONLY);
		if (fd == -1 ||
		    mmap(NULL, 1 << 20, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
			err(3, "%s", file);
	}
	fuse = fuse_mount(directory);
	if (pipe(told))
		err(3, "pipe");
	prctl(PR_SET_DUMPABLE, 1);
	server = fork();
	if (server == 0)
		fuse_serve(fuse, told[1]);
	close(fuse);
	snprintf(path, sizeof(path), "%s/file", directory);
	fd = open(path, O_RDONLY);
	if (fd == -1)
		err(3, "%s", path);
	mapped = mmap(NULL, FUSE_FILE_SIZE, PROT_READ, MAP_PRIVATE, fd, 0);
	if (mapped == MAP_FAILED)
		err(3, "mmap");
	printf("hostage %d %d\n", getpid(), server);
	fflush(stdout);
	state_of(getpid()); /* fault in all pages that are needed while the lock is held */
	usleep(1);
	ioctl(helper, DTRACEHIOC_REMOVE, 1 << 30);
	pthread_create(&thread, NULL, write_mappings, NULL);
	pthread_create(&thread, NULL, read_mapping, NULL);
	if (read(told[0], &byte, 1) != 1) /* the reader has the lock */
		err(3, "the server");
	locked = 1;
	while (!writer || state_of(writer) != 'D')
		usleep(1000);
	if (write(STDOUT_FILENO, "held\n", 5) != 5)
		return 3;
	if (ioctl(helper, DTRACEHIOC_ADD, dof.data) < 0)
		warn("register");
	pause();
	return 0;
}

/* ---- others ---- */

static int register_in(pid_t pid)
{
	struct dof_bytes dof = probe_dof("pid", 0x1000);
	dtrace_ft_register_t reg = {.dtfr_pid = pid,
				    .dtfr_flags = DTRACE_FT_PID,
				    .dtfr_helper = {.dofhp_dof = (uint64_t)(uintptr_t)dof.data}};
	int fd = open(DTRACE_FASTTRAP_DEVICE, O_RDWR);

	if (fd == -1)
		err(3, "the device");
	puts("go");
	fflush(stdout);
	if (ioctl(fd, DTRACEFTIOC_REGISTER, &reg) < 0)
		puts(strerror(errno));
	return 0;
}

/* Fork children for ever, and count them. */
static void fork_many(volatile unsigned long *forks)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;; ++*forks) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		waitpid(pid, NULL, 0);
		usleep(1000);
	}
}

/* Return whether within some seconds there is a second without a fork, or else with one. */
static int within(int seconds, volatile unsigned long *forks, int none)
{
	for (unsigned long before = *forks; seconds--; before = *forks) {
		sleep(1);
		if ((*forks == before) == none)
			return 1;
	}
	return 0;
}

/*
 * Run a command while another process forks. If forks are blocked, that process waits and not this
 * one, which starts the command without a copy of its address space.
 */
static int forks_meanwhile(pid_t server, char **command)
{
	volatile unsigned long *forks = mmap(NULL, sizeof(*forks), PROT_READ | PROT_WRITE,
					     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t forker = fork(), pid;
	int stopped, tenths = 20;

	if (forker == 0)
		fork_many(forks);
	if (!within(10, forks, 0))
		errx(3, "no forks");
	if (posix_spawnp(&pid, command[0], NULL, NULL, command, environ))
		err(3, "%s", command[0]);
	stopped = within(20, forks, 1);
	puts(stopped ? "forks wait" : "forks go on");
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, WNOHANG) == 0 && tenths--)
		usleep(100000);
	puts(tenths >= 0 ? "the command can be killed" : "the command cannot be killed");
	kill(server, SIGKILL);
	puts(within(10, forks, 0) ? "forks go on after the hostage" : "forks wait for ever");
	kill(forker, SIGKILL);
	waitpid(forker, NULL, 0);
	return 0;
}

#define NPOINTS 8

/* Code with space for the stop points; nothing calls it. */
extern const char hostage_points[];
__asm__(".text\n.globl hostage_points\nhostage_points:\n.skip 64, 0x90\nret\n");

/* Open the device, and set the stop points. */
static int set_points(void)
{
	dtrace_stop_address_t stop = {.dtfa_pid = getpid(), .dtfa_timeout = 1};
	int fd = open(DTRACE_FASTTRAP_DEVICE, O_RDWR);

	for (unsigned int i = 0; i < NPOINTS; i++) {
		stop.dtfa_address = (uintptr_t)(hostage_points + i);
		if (ioctl(fd, DTRACEFTIOC_STOP_ADDRESS, &stop) < 0)
			err(3, "stop point");
	}
	return fd;
}

/* After "set" nothing here forks: forks wait. */
static int end_points(void)
{
	int ready[2], fd, server;
	time_t closed, killed;
	pid_t child;
	char byte;

	if (pipe(ready))
		err(3, "pipe");
	child = fork();
	if (!child) {
		set_points();
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(3);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		errx(3, "the child has no stop points");
	fd = set_points();
	puts("set");
	fflush(stdout);
	if (scanf("%d", &server) != 1)
		return 3;
	killed = time(NULL);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	closed = time(NULL);
	killed = closed - killed;
	close(fd);
	closed = time(NULL) - closed;
	kill(server, SIGKILL);
	if (killed <= 2)
		puts("a killed tracer does not wait");
	else
		printf("%d stop points of a killed tracer end after %ld s\n", NPOINTS,
		       (long)killed);
	if (closed <= 8)
		puts("it waits once");
	else
		printf("%d stop points end after %ld s\n", NPOINTS, (long)closed);
	return 0;
}

int main(int argc, char **argv)
{
	const char *verb = argc > 2 ? argv[1] : "";

	if (argc == 2 && !strcmp(argv[1], "points"))
		return end_points();

	if (!strcmp(verb, "hold")) {
		directory = argv[2];
		return hold(argv[3]);
	}
	if (!strcmp(verb, "register"))
		return register_in(atoi(argv[2]));
	if (!strcmp(verb, "forks") && argc > 3)
		return forks_meanwhile(atoi(argv[2]), argv + 3);
	errx(2, "see the source");
}
