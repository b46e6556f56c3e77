// SPDX-License-Identifier: MIT
/*
 * torture_session.c - open and enable hundreds of sessions, and end them in every way.
 *
 *	torture-session life SECONDS	valid programs; sessions closed, left, or killed with -9
 *	torture-session damage SECONDS	the DOF of programs, damaged before the kernel reads it
 *	torture-session starve SECONDS	valid programs, while the kernel's allocations fail: a
 *					refusal is no error
 *
 * It sends requests to the device itself, without the sessions of libdtrace, so that a session
 * takes little time. It prints its counts. Its status is 1 if a valid program was refused, and
 * UNTIL_FAILED if not enough happened.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <dtrace/ioctl.h>
#include "libdtrace.h"
#include "program.h"

#include "../lib/random.h"
#include "dof_sample.h"
#include "until.h"

#define PROCESSES   4
#define TURN	    20000 /* microseconds */
#define BUFFER_SIZE (1 << 20)

static const char *const texts[] = {
	"victim*:::, plug*::: { @n[probename, pid] = count(); }",
	"victim*:::tick { self->n++; x[arg0 & 15] = timestamp; } BEGIN, END { trace(1); }",
	"victim*:::tick /arg0 & 1/ { printf(\"%d %s\", arg0, execname); } tick-10ms { @q = "
	"quantize(timestamp); }",
	"victim*:::guarded { ustack(5); } profile-500 { @k[stack(3)] = sum(1); }",
	"victim*::: { self->s = speculation(); speculate(self->s); trace(arg0); } tick-10ms { "
	"commit(self->s); }",
	"BEGIN { this->s = strjoin(probeprov, substr(\"abcdef\", 2)); trace(strlen(this->s)); "
	"trace(copyinstr(arg0)); }",
	"ERROR { trace(arg4); } BEGIN { trace(*(int *)0); trace(1 / (arg0 - arg0)); } tick-5ms { "
	"exit(0); }",
	"tick-5ms { self->a[pid, execname] = \"text\"; g = self->a[pid, execname]; @l = "
	"lquantize(i++, 0, 100, 10); }",
};
#define NTEXTS (sizeof(texts) / sizeof(texts[0]))

struct tally {
	unsigned long opened, enabled, gone, killed;
	unsigned long opened_by[PROCESSES];
};

/* A process. It is killed some turns after it has opened a number of sessions. */
struct job {
	pid_t pid;
	unsigned long sessions;
	unsigned int turns;
};

static struct {
	void *dof;
	size_t size;
} programs[NTEXTS];
static struct tally *tally; /* shared by all processes */
static struct until until;
static bool damage, starve;

/* Set small buffers, so that a session takes little time. */
static void small_buffers(dtrace_hdl_t *dtp)
{
	dtrace_setopt(dtp, "bufsize", "64k");
	dtrace_setopt(dtp, "aggsize", "64k");
	dtrace_setopt(dtp, "dynvarsize", "64k");
	dtrace_setopt(dtp, "nspec", "4");
}

static void compile(void)
{
	int error = 0;
	dtrace_hdl_t *dtp = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &error);

	if (!dtp) {
		printf("dtrace_open: error %d\n", error);
		exit(1);
	}
	small_buffers(dtp);
	for (size_t i = 0; i < NTEXTS; i++) {
		dtrace_prog_t *prog = dtrace_program_strcompile(
			dtp, texts[i], DTRACE_PROBESPEC_NAME, DTRACE_C_ZDEFS, 0, NULL);

		programs[i].dof = prog ? dtrace_dof_create(dtp, prog, &programs[i].size) : NULL;
		if (!programs[i].dof) {
			printf("cannot compile: %s: %s\n", texts[i],
			       dtrace_errmsg(dtp, dtrace_errno(dtp)));
			exit(1);
		}
	}
}

static int device_open(void)
{
	int fd = open(DTRACE_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0 && starve)
		_exit(0);
	if (fd < 0) {
		perror("torture-session: " DTRACE_DEVICE);
		exit(2);
	}
	return fd;
}

/* Return the word at an offset of the DOF, or 0 if the offset is outside. */
static uint32_t word_at(const void *dof, size_t size, uint64_t at)
{
	uint32_t word = 0;

	if (at < size && size - at >= sizeof(word))
		memcpy(&word, (const char *)dof + at, sizeof(word));
	return word;
}

/* Return whether damaged DOF has breakpoint() or panic(), which would stop the machine. */
static bool stops_the_machine(const void *dof, size_t size)
{
	const dof_hdr_t *hdr = dof;
	dof_sec_t sec;

	for (uint32_t i = 0; i < hdr->dofh_secnum && i < size; i++) {
		uint64_t at = hdr->dofh_secoff + (uint64_t)i * hdr->dofh_secsize;

		if (at > size - sizeof(sec) || word_at(dof, size, at) != DOF_SECT_ACTDESC)
			continue;
		memcpy(&sec, (const char *)dof + at, sizeof(sec));
		for (at = sec.dofs_offset; at < size; at += sizeof(dof_actdesc_t)) {
			uint32_t kind = word_at(dof, size, at + offsetof(dof_actdesc_t, dofa_kind));

			if (kind == DTRACEACT_PANIC || kind == DTRACEACT_BREAKPOINT)
				return true;
		}
	}
	return false;
}

static int enable(int fd, const void *dof)
{
	char message[256] = "";
	dtrace_enable_io_t io = {.dofp = (uintptr_t)dof,
				 .errmsg = (uintptr_t)message,
				 .errmsg_len = sizeof(message)};
	int error = ioctl(fd, DTRACEIOC_ENABLE, &io);

	if (error && !damage && !starve) {
		printf("refused: %s: %s\n", strerror(errno), message);
		exit(3);
	}
	return error;
}

static void read_all(int fd, void *buffer, uint64_t *seed)
{
	dtrace_status_t status;
	dtrace_bufdesc_t desc;
	dtrace_eprobedesc_t ep = {.dtepd_epid = random_next(seed) % 64};
	dtrace_aggdesc_t agg = {.dtagd_id = random_next(seed) % 64};

	for (uint32_t cpu = 0; cpu < 3; cpu++) {
		desc = (dtrace_bufdesc_t){
			.dtbd_data = (uintptr_t)buffer, .dtbd_size = BUFFER_SIZE, .dtbd_cpu = cpu};
		ioctl(fd, DTRACEIOC_BUFSNAP, &desc);
		desc = (dtrace_bufdesc_t){
			.dtbd_data = (uintptr_t)buffer, .dtbd_size = BUFFER_SIZE, .dtbd_cpu = cpu};
		ioctl(fd, DTRACEIOC_AGGSNAP, &desc);
	}
	ioctl(fd, DTRACEIOC_EPROBE, &ep);
	ioctl(fd, DTRACEIOC_AGGDESC, &agg);
	ioctl(fd, DTRACEIOC_STATUS, &status);
}

/* Copy one of the programs to buffer, and damage it in the mode damage. */
static void *choose(uint64_t *seed, void *buffer, size_t *size)
{
	size_t n = random_next(seed) % NTEXTS;

	*size = programs[n].size;
	memcpy(buffer, programs[n].dof, *size);
	while (damage) {
		dof_sample_mutate(buffer, *size, seed);
		if (!stops_the_machine(buffer, *size))
			break;
		memcpy(buffer, programs[n].dof, *size);
	}
	return buffer;
}

static void count(unsigned long *counter)
{
	__atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

static void session(int n, uint64_t *seed, void *buffer)
{
	int fd = device_open();
	dtrace_go_t go = {0};
	size_t size;

	count(&tally->opened);
	count(&tally->opened_by[n]);
	if (!enable(fd, choose(seed, buffer, &size))) {
		count(&tally->enabled);
		if (!ioctl(fd, DTRACEIOC_GO, &go))
			count(&tally->gone);
		usleep(random_next(seed) % 40000);
		read_all(fd, buffer, seed);
		if (random_next(seed) & 1)
			ioctl(fd, DTRACEIOC_STOP, &go);
		if (random_next(seed) & 1)
			read_all(fd, buffer, seed);
		if (random_next(seed) % 16 == 0)
			_exit(0); /* closes the session */
	}
	close(fd);
}

/* Let allocations for this process fail, as configured in /sys/kernel/debug/failslab. */
static void starve_here(void)
{
	int fd = open("/proc/self/make-it-fail", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, "1", 1) != 1)
		perror("torture-session: /proc/self/make-it-fail");
	close(fd);
}

/* Return whether enough has happened. */
static bool is_enough(void)
{
	if (damage)
		return tally->opened > 100 && tally->enabled > 10;
	return tally->enabled > 5 && tally->gone > 5 && tally->killed > 5;
}

static bool is_over(void)
{
	return until_over(&until, is_enough());
}

static void process_main(int n)
{
	struct timespec now;
	uint64_t seed;
	void *buffer;

	if (starve)
		starve_here();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	clock_gettime(CLOCK_MONOTONIC, &now);
	seed = ((uint64_t)now.tv_nsec << 20 ^ (uint64_t)getpid() << 8 ^ n) | 1;
	buffer = malloc(BUFFER_SIZE);
	while (buffer && !is_over())
		session(n, &seed, buffer);
	_exit(0);
}

static void start_process(struct job *job, int n, uint64_t *seed)
{
	while ((job->pid = fork()) < 0)
		usleep(1000);
	if (!job->pid)
		process_main(n);
	job->sessions = tally->opened_by[n] + random_next(seed) % 8;
	job->turns = random_next(seed) % 32;
}

/* Return whether to kill a process now. */
static bool is_due(struct job *job, int n)
{
	return !damage && tally->opened_by[n] >= job->sessions && job->turns-- == 0;
}

static bool is_refused(int status)
{
	return WIFEXITED(status) && WEXITSTATUS(status) > 0;
}

/* Replace processes that ended, and kill one now and then. */
static int supervise(void)
{
	struct job jobs[PROCESSES];
	uint64_t seed = (uint64_t)getpid() << 1 | 1;
	int status, refused = 0;

	for (int i = 0; i < PROCESSES; i++)
		start_process(&jobs[i], i, &seed);
	while (!is_over() && !refused) {
		usleep(TURN);
		for (int i = 0; i < PROCESSES; i++) {
			if (is_due(&jobs[i], i))
				kill(jobs[i].pid, SIGKILL);
			if (waitpid(jobs[i].pid, &status, WNOHANG) != jobs[i].pid)
				continue;
			tally->killed += WIFSIGNALED(status);
			refused |= is_refused(status);
			start_process(&jobs[i], i, &seed);
		}
	}
	for (int i = 0; i < PROCESSES; i++) {
		waitpid(jobs[i].pid, &status, 0);
		refused |= is_refused(status);
	}
	return refused;
}

int main(int argc, char **argv)
{
	int refused;

	if (argc != 3 ||
	    (strcmp(argv[1], "life") && strcmp(argv[1], "damage") && strcmp(argv[1], "starve"))) {
		fprintf(stderr, "usage: torture-session life|damage|starve SECONDS\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	damage = !strcmp(argv[1], "damage");
	starve = !strcmp(argv[1], "starve");
	tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (tally == MAP_FAILED)
		return 2;
	compile();
	until = until_begin(argv[2]);
	refused = supervise();
	printf("opened %lu, enabled %lu, traced %lu, killed %lu\n", tally->opened, tally->enabled,
	       tally->gone, tally->killed);
	return refused || is_enough() ? refused : UNTIL_FAILED;
}
