// SPDX-License-Identifier: MIT
/*
 * torture_pid.c - run programs that check their results, trace them at random by the pid provider,
 * and kill programs and sessions.
 *
 *	torture-pid SECONDS ENOUGH PROGRAM ARG...
 *
 * PROGRAM is as torture_work.c. Messages of dtrace go to standard error. The time after which
 * programs and sessions are killed depends on the time that sessions take.
 *
 * Enough has happened when ENOUGH sessions have had hits, one of them in the library that is loaded
 * and unloaded, and ENOUGH sessions and ENOUGH programs have been killed. If ENOUGH is 1, for slow
 * machines, one session with hits is enough. If there were too few hits in SECONDS, only one
 * program and one session at a time go on, and are not killed, until there are enough.
 *
 * The program prints its counts. Its status is 1 if a traced program had a wrong result or ended by
 * itself, or if dtrace ended by a signal that was not sent to it. It is UNTIL_FAILED if not enough
 * has happened.
 */
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../lib/random.h"
#include "until.h"

#define WORKERS	  3
#define TRACERS	  3
#define HIT	  7  /* status of a session whose probes have fired */
#define LATE_TICK 20 /* s of a session that is not killed: breakpoints may have been dropped */

struct job {
	pid_t pid;
	unsigned int sent;  /* signals that were sent to end it: bit 1 << signal */
	unsigned int turns; /* after which a signal is sent; 0: none is */
	unsigned int age;   /* turns since it began */
	bool part;	    /* a session of the library alone */
};

static struct {
	unsigned long sessions, hit, hit_part, over, refused, killed, workers, workers_killed;
} tally;

static struct job workers[WORKERS], tracers[TRACERS];
static int nworkers = WORKERS, ntracers = TRACERS;
static bool late;		/* one program and one session remain, and are not killed */
static unsigned int usual = 60; /* turns that a session takes if it is not killed */
static unsigned long enough;	/* ENOUGH */
static char **program;
static uint64_t seed;

static unsigned int any(unsigned int n)
{
	return (unsigned int)(random_next(&seed) >> 33) % n;
}

/* ---- starting ---- */

/* quiet: without standard output. */
static pid_t start(char **argv, int quiet)
{
	pid_t pid = fork();

	if (pid < 0)
		err(2, "fork");
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (quiet && !freopen("/dev/null", "w", stdout))
		err(127, "/dev/null");
	execvp(argv[0], argv);
	err(127, "%s", argv[0]);
}

static void start_worker(struct job *job)
{
	*job = (struct job){.pid = start(program, 0)};
	tally.workers++;
}

static const char *const functions[] = {"work_recurse", "work_switch", "work_float", "work_sort",
					"work_text",	"work_order",  "work_all",   "thread_main",
					"child",	"borrower"};
#define ANY_FUNCTION (functions[any(sizeof(functions) / sizeof(functions[0]))])

#define PART "pid$target:libtorture-part:"

/* Write the descriptions of a session's probes. */
static void describe(char *text, size_t capacity)
{
	static const char *const fixed[] = {
		"pid$target:a.out:work_*:entry, pid$target:a.out:work_*:return",
		PART "part_*:entry, " PART ":return",
		PART "part_collatz:",
		"pid$target:libc:malloc:entry, pid$target:libc:free:entry, "
		"pid$target:libc:qsort*:return",
		"pid$target:::entry",
		"pid*:torture-work:work_*:entry",
		"pid*:torture-work:work_sort:return, pid$target:a.out:work_sort:",
	};
	unsigned int choice = late ? tally.hit > 0 && tally.hit_part == 0 : any(16);

	if (choice < sizeof(fixed) / sizeof(fixed[0]))
		snprintf(text, capacity, "%s", fixed[choice]);
	else if (choice < 13)
		snprintf(text, capacity, "pid$target:a.out:%s:", ANY_FUNCTION);
	else
		snprintf(text, capacity, "pid$target:a.out:%s:%x", ANY_FUNCTION, any(0x20));
}

static const char *action(void)
{
	static const char *const actions[] = {
		"n++; @[probefunc] = count();",
		"n++; @[ustack(6)] = count();",
		"n++; @[probename, arg0] = sum(arg1);",
		"n++; self->last = timestamp; @ = quantize(timestamp - self->last);",
	};

	return actions[any(sizeof(actions) / sizeof(actions[0]))];
}

/* Start a session for one of the workers. It ends once it has had hits, or after some seconds. */
static void start_tracer(struct job *job)
{
	char probes[256], text[700], number[16];
	char *argv[] = {
		"dtrace", "-Zqn", text, "-p", number, "-x", any(4) ? "bufsize=64k" : "followfork",
		NULL};

	describe(probes, sizeof(probes));
	snprintf(text, sizeof(text), "%s { %s } tick-%ums /n/ { exit(%d); } tick-%us { exit(0); }",
		 probes, action(), 10 + any(300), HIT, late ? LATE_TICK : 3);
	snprintf(number, sizeof(number), "%d", workers[any((unsigned int)nworkers)].pid);
	*job = (struct job){.pid = start(argv, 1), .turns = any(3) ? 0 : 1 + any(usual)};
	job->part = strncmp(probes, PART, strlen(PART)) == 0;
	tally.sessions++;
}

/* ---- ending ---- */

/* Return whether a worker ended as it may. */
static int worker_ended(const struct job *job, int status)
{
	if (WIFSIGNALED(status) &&
	    job->sent & 1u << WTERMSIG(status)) { /* SIGTERM: not ready yet */
		tally.workers_killed++;
		return 1;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && job->sent & 1u << SIGTERM)
		return 1;
	printf("a program ended with wait status %#x\n", status);
	return 0;
}

static int tracer_ended(const struct job *job, int status)
{
	if (WIFSIGNALED(status)) {
		tally.killed++;
		if (!(job->sent & 1u << WTERMSIG(status)))
			printf("dtrace ended with wait status %#x\n", status);
		return job->sent >> WTERMSIG(status) & 1;
	}
	if (WEXITSTATUS(status) == HIT) {
		tally.hit++;
		tally.hit_part += job->part;
	} else if (WEXITSTATUS(status)) {
		tally.refused++;
	} else {
		tally.over++;
	}
	if (WEXITSTATUS(status) == HIT || !WEXITSTATUS(status))
		usual = 1 + job->age;
	return 1;
}

static void end(struct job *job, int sig)
{
	job->sent |= 1u << sig;
	kill(job->pid, sig);
}

/* Replace a job that has ended, by again(). Return whether it ended as it may, or runs. */
static int look_after(struct job *job, int (*ended)(const struct job *, int),
		      void (*again)(struct job *))
{
	int status, well;

	if (waitpid(job->pid, &status, WNOHANG) != job->pid)
		return 1;
	well = ended(job, status);
	again(job);
	return well;
}

static int turn(void)
{
	static const int signals[] = {SIGKILL, SIGKILL, SIGTERM, SIGINT};
	int well = 1;

	for (int i = 0; i < nworkers; i++) {
		if (!late && any(5 * usual) == 0)
			end(&workers[i], SIGKILL);
		well &= look_after(&workers[i], worker_ended, start_worker);
	}
	for (int i = 0; i < ntracers; i++) {
		tracers[i].age++;
		if (!late && tracers[i].age == tracers[i].turns)
			end(&tracers[i], signals[any(4)]);
		well &= look_after(&tracers[i], tracer_ended, start_tracer);
	}
	usleep(50000);
	return well;
}

static int finish(struct job *jobs, int n, int sig, int (*ended)(const struct job *, int))
{
	int status, well = 1;

	for (int i = 0; i < n; i++)
		end(&jobs[i], sig);
	for (int i = 0; i < n; i++) {
		waitpid(jobs[i].pid, &status, 0);
		well &= ended(&jobs[i], status);
	}
	return well;
}

static bool are_tracepoints_left(void)
{
	FILE *list = fopen("/proc/dtrace/fasttrap", "r");
	bool left;

	if (!list)
		err(2, "/proc/dtrace/fasttrap");
	while (getc(list) != '\n')
		if (feof(list) || ferror(list))
			errx(2, "/proc/dtrace/fasttrap: no header");
	left = getc(list) != EOF;
	fclose(list);
	return left;
}

/*
 * Kill the sessions. Their breakpoints are removed by the module's worker, which a killed session
 * does not wait for, and programs compare their text at their ends.
 */
static int finish_tracers(void)
{
	int well = finish(tracers, ntracers, SIGKILL, tracer_ended);

	while (are_tracepoints_left())
		usleep(50000);
	return well;
}

/* Go on with one program, and with one session at a time. */
static int become_late(void)
{
	int well = finish_tracers();

	well &= finish(workers + 1, nworkers - 1, SIGTERM, worker_ended);
	late = true;
	nworkers = 1;
	ntracers = 1;
	start_tracer(&tracers[0]);
	return well;
}

static bool is_enough_seen(void)
{
	return tally.hit >= enough && (enough == 1 || tally.hit_part > 0);
}

static bool is_enough_killed(void)
{
	return enough == 1 || (tally.killed >= enough && tally.workers_killed >= enough);
}

static int torture(const char *seconds)
{
	struct until until = until_begin(seconds);
	int well = 1;

	for (int i = 0; i < WORKERS; i++)
		start_worker(&workers[i]);
	for (int i = 0; i < TRACERS; i++)
		start_tracer(&tracers[i]);
	while (!until_over(&until, is_enough_killed()) && well)
		well = turn();
	if (!is_enough_seen() && well)
		well = become_late();
	while (!until_over(&until, is_enough_seen()) && well)
		well = turn();
	well &= finish_tracers();
	well &= finish(workers, nworkers, SIGTERM, worker_ended);
	return well;
}

int main(int argc, char **argv)
{
	int well;

	if (argc < 4)
		errx(2, "usage: torture-pid SECONDS ENOUGH PROGRAM ARG...");
	setvbuf(stdout, NULL, _IOLBF, 0);
	enough = strtoul(argv[2], NULL, 10);
	program = argv + 3;
	seed = (uint64_t)time(NULL) << 16 | (uint64_t)getpid() << 1 | 1;
	well = torture(argv[1]);
	printf("programs %lu, killed %lu; sessions %lu, hit %lu, in the library %lu, over %lu, refused %lu, "
	       "killed %lu\n",
	       tally.workers, tally.workers_killed, tally.sessions, tally.hit, tally.hit_part,
	       tally.over, tally.refused, tally.killed);
	return !well ? 1 : is_enough_seen() && is_enough_killed() ? 0 : UNTIL_FAILED;
}
