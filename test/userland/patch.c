/* SPDX-License-Identifier: MIT */
/*
 * patch.c - tests of code at sites: userland/patch.h.
 *
 *	patch CASE VICTIM [OBJECT]	status 0: it passed; 1: it failed, and a line says why
 *
 * TOGGLES in the environment: how often sites are switched in the cases toggle (200,000), five
 * (58,400) and instructions (41,200).
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "handle.h"
#include "process/memory.h"
#include "process/procfs.h"
#include "../../agent/agent.h"
#include "tracee.h"
#include "userland/seize.h"

#define ROW 8 /* sites of a function, which is passed once for each: sites.S */

static struct tracee t;
static char *victim, *object;

/* Leave only the sites that are instructions, or only the others. */
static void choose(bool instructions)
{
	size_t n = 0;

	for (size_t i = 0; i < t.nsites; i++)
		if ((t.sites[i].kind >= KIND_INSTRUCTION) == instructions)
			t.sites[n++] = t.sites[i];
	t.nsites = n;
}

static void start_all(const char *threads, const char *signals, const char *occupy)
{
	char *arguments[] = {victim, (char *)threads, (char *)signals, (char *)occupy, NULL};

	tracee_start(&t, arguments);
	tracee_join(&t);
}

static void start(const char *threads, const char *signals, const char *occupy)
{
	start_all(threads, signals, occupy);
	choose(false);
}

/* Wait a while in which the victim runs. */
static void run(int ms)
{
	poll(NULL, 0, ms);
}

/* Let the program run until all sites together have n hits. */
static void run_until(uint64_t n)
{
	uint64_t hits = 0;

	for (int ms = 0; hits < n; ms++) {
		if (ms == 60000)
			fail("%lu hits after a minute", (unsigned long)hits);
		run(1);
		hits = 0;
		for (size_t i = 0; i < t.nsites; i++)
			hits += __atomic_load_n(&t.counters[i], __ATOMIC_RELAXED);
	}
}

/* Let the program pass its sites, which are off. */
static void run_untraced(void)
{
	do {
		tracee_tell(&t, "go");
		run(50);
		tracee_tell(&t, "stop");
	} while (!t.passes);
}

/* Return whether a site cannot have code: see victim.c. */
static bool is_impossible(const struct tracee_site *site)
{
	return site->kind == KIND_JUMP_IF && site->pc < 1u << 31;
}

/* Let the program run until each site from FIRST on has a hit, if it can have one. */
static void run_until_hit(size_t first)
{
	int ms = 0;

	for (size_t i = first; i < t.nsites; i++)
		while (t.sites[i].kind != KIND_ENABLED && !is_impossible(&t.sites[i]) &&
		       !__atomic_load_n(&t.counters[i], __ATOMIC_RELAXED)) {
			if (ms++ == 60000)
				fail("site %zu has no hit after a minute", i);
			run(1);
		}
}

static void prepare_all(void)
{
	char why[DT_WHYLEN];
	int error = -ENOSPC;
	size_t n = 0;

	for (size_t i = 0; i < t.nsites; i++)
		n += is_impossible(&t.sites[i]);
	if (tracee_prepare(&t, 0, t.nsites, n ? &error : NULL, why) != n || error != -ENOSPC)
		fail("%s", why);
}

static void code_is_restored(unsigned char *before)
{
	unsigned char *after = tracee_code(&t);

	check(memcmp(before, after, 16 * t.nsites) == 0);
	free(after);
	free(before);
}

/* Every hit is counted while all sites are on, and none after. */
static void exact(void)
{
	unsigned char *before;

	start("8", "300000", NULL);
	before = tracee_code(&t);
	prepare_all();
	check(tracee_set(&t, 0, t.nsites, true) == 0);
	tracee_tell(&t, "go");
	run_until(1000000);
	tracee_tell(&t, "stop");
	check(t.passes > 10000);
	if (tracee_count(&t) != t.passes)
		fail("hits and %lu passes differ", t.passes);
	check(tracee_set(&t, 0, t.nsites, false) == 0);
	code_is_restored(before);
	run_untraced();
	check(tracee_count(&t) == 0);
	dt_patch_close(t.patches);
	tracee_quit(&t);
}

/* Switch sites on and off, now all, now eight of them, as often as TOGGLES says, or usual times. */
static void switch_often(unsigned long usual)
{
	const char *word = getenv("TOGGLES");
	const unsigned long total = word ? strtoul(word, NULL, 10) : usual;
	unsigned long done = 0;

	for (unsigned long round = 0; done < total; round++) {
		size_t n = round % 5 == 0 ? t.nsites : 8, from = round * 7 % (t.nsites - n + 1);

		if (tracee_set(&t, from, n, true) || tracee_set(&t, from, n, false))
			fail("round %lu, %zu from %zu: %s", round, n, from, t.why);
		done += 2 * n;
	}
}

/* Sites are switched while 8 threads and a handler pass them. */
static void toggle(void)
{
	unsigned char *before;
	uint64_t count;

	start("8", "300000", NULL);
	before = tracee_code(&t);
	prepare_all();
	tracee_tell(&t, "go");
	switch_often(200000);
	tracee_tell(&t, "stop");
	count = tracee_count(&t);
	check(count > 0 && count <= t.passes);
	code_is_restored(before);
	dt_patch_close(t.patches);
	tracee_quit(&t);
}

/* Where no page can be mapped, threads are stopped and five bytes written. */
static void five(void)
{
	unsigned char *before, *code;
	size_t own = 0;

	start("8", "1000000", "occupy");
	before = tracee_code(&t);
	for (size_t i = 0; i < t.nsites; i++)
		own += t.sites[i].kind == KIND_JUMP_IF;
	/*
	 * These have not five bytes of their own; SystemTap's are aided by the instruction behind.
	 */
	check(tracee_prepare(&t, 0, t.nsites, NULL, NULL) == own);
	check(tracee_set(&t, 0, t.nsites, true) == 0);
	code = tracee_code(&t);
	for (size_t i = 0; i < t.nsites; i++)
		if (t.sites[i].kind == 0)
			check(code[16 * i + 4] == 0xe9 && memcmp(code + 16 * i + 5, "fff", 3) != 0);
	free(code);
	tracee_tell(&t, "go");
	run_until(1);
	switch_often(58400);
	tracee_tell(&t, "stop");
	check(tracee_count(&t) > 0);
	check(tracee_set(&t, 0, t.nsites, false) == 0);
	code_is_restored(before);
	dt_patch_close(t.patches);
	tracee_quit(&t);
}

/*
 * Switch a site on while the victim is held in a handler, which has interrupted it at an address
 * within. It has passed the site's beginning, so that this is no hit.
 */
static void hold(const char *how, size_t site, uint64_t addr)
{
	char command[64];

	snprintf(command, sizeof(command), "%s %lx", how, addr);
	tracee_tell(&t, command);
	check(tracee_set(&t, site, 1, true) == 0);
	tracee_tell(&t, "go on");
	check(tracee_set(&t, site, 1, false) == 0);
	check(tracee_count(&t) == 0 && !t.wrong);
}

/*
 * A signal has interrupted a thread between the instructions that a jump of five bytes replaces: of
 * a call's site at its pc, of a jump's there and at the ret. Its handler returns after that.
 */
static void interrupted(void)
{
	unsigned char *before;
	size_t held = 0;

	start("1", "0", "occupy");
	before = tracee_code(&t);
	tracee_prepare(&t, 0, t.nsites, NULL, NULL);
	for (size_t i = 0; i < t.nsites; i++) {
		if (t.sites[i].kind != KIND_CALL && t.sites[i].kind != KIND_JUMP)
			continue;
		hold("hold", i, t.sites[i].pc);
		hold("return", i, t.sites[i].pc);
		if (t.sites[i].kind == KIND_JUMP)
			hold("hold", i, t.sites[i].pc + 3);
		held++;
	}
	check(held == 80);
	code_is_restored(before);
	dt_patch_close(t.patches);
	tracee_quit(&t);
}

/*
 * Instructions do in trampolines what they do in the program, and each pass is a hit. In a program
 * at low addresses some cannot be traced, because the bytes behind them lead below address 0.
 */
static void instructions_exact(void)
{
	unsigned char *before;
	uint64_t count = 0;
	size_t failed, none = 0;
	int error = -ENOSPC;

	start_all("8", "0", NULL);
	choose(true);
	before = tracee_code(&t);
	failed = tracee_prepare(&t, 0, t.nsites, &error, NULL);
	check(failed <= (t.sites[0].pc < 1u << 31 ? 7 : 0) && (!failed || error == -ENOSPC));
	tracee_set(&t, 0, t.nsites, true);
	tracee_tell(&t, "go");
	run_until(1000 * ROW * t.nsites);
	tracee_tell(&t, "stop");
	for (size_t i = 0; i < t.nsites; i++) {
		const uint64_t hits = t.counters[i] / (t.sites[i].kind == KIND_ROW ? ROW : 1);

		none += hits == 0;
		count = hits && !count ? hits : count;
		if (hits && hits != count)
			fail("site %zu has %lu hits, others %lu", i, (unsigned long)hits,
			     (unsigned long)count);
	}
	check(none == failed && count > 100);
	check(tracee_set(&t, 0, t.nsites, false) == 0);
	code_is_restored(before);
	tracee_quit(&t);
	dt_patch_close(t.patches);
}

/* They are switched while threads and a handler pass them, and others stop being sites. */
static void instructions(void)
{
	unsigned char *before;

	instructions_exact();
	start_all("8", "300000", NULL);
	choose(true);
	before = tracee_code(&t);
	tracee_prepare(&t, 0, t.nsites, NULL, NULL);
	tracee_tell(&t, "go");
	switch_often(41200);
	tracee_tell(&t, "stop");
	check(tracee_count(&t) > 0);
	code_is_restored(before);
	dt_patch_close(t.patches);
	tracee_quit(&t);
}

/* Let another process trace the victim's main thread until it is killed. Return its number. */
static pid_t tracer_begin(void)
{
	int ready[2];
	char byte = 0;
	pid_t pid;

	check(pipe(ready) == 0);
	pid = fork();
	check(pid != -1);
	if (pid == 0) {
		if (ptrace(PTRACE_SEIZE, t.pid, 0, 0) == 0 && write(ready[1], &byte, 1) == 1)
			pause();
		_exit(1);
	}
	check(read(ready[0], &byte, 1) == 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

/*
 * Sites that take more than one byte cannot be switched while another process traces the victim.
 * They work on, with the sites on which they depend.
 */
static void traced(void)
{
	unsigned char *before;
	pid_t tracer;

	start_all("4", "0", NULL);
	choose(true);
	tracee_prepare(&t, 0, t.nsites, NULL, NULL);
	for (int i = 0; i < 2; i++) {
		before = tracee_code(&t);
		if (i == 0)
			tracee_set(&t, 0, t.nsites, true);
		tracer = tracer_begin();
		tracee_set(&t, 0, t.nsites, i != 0);
		run_untraced();
		check(kill(tracer, SIGKILL) == 0 && waitpid(tracer, NULL, 0) == tracer);
		check(tracee_set(&t, 0, t.nsites, false) == 0);
		code_is_restored(before);
	}
	run_untraced();
	dt_patch_close(t.patches);
	tracee_quit(&t);
}

/* Sites come on pages that have mirror pages already, while they are passed. */
static void later(void)
{
	unsigned char *before;

	start("4", "1000000", NULL);
	before = tracee_code(&t);
	tracee_tell(&t, "go");
	for (size_t i = 0; i < t.nsites; i++) {
		check(tracee_prepare(&t, i, 1, NULL, NULL) == is_impossible(&t.sites[i]));
		check(tracee_set(&t, i, 1, true) == 0);
	}
	tracee_count(&t);
	run_until_hit(0);
	tracee_tell(&t, "stop");
	dt_patch_close(t.patches);
	code_is_restored(before);
	tracee_quit(&t);
}

/* Return how many mappings the victim has. */
static size_t mappings(void)
{
	char path[32], line[512];
	size_t n = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)t.pid);
	maps = fopen(path, "r");
	check(maps);
	while (fgets(line, sizeof(line), maps))
		n += !!strchr(line, '\n');
	fclose(maps);
	return n;
}

/* One session follows the other, each with all sites or some of them: they use the same code. */
static void again(void)
{
	static const size_t from[] = {0, 5, 0, 1};
	unsigned char *before;
	size_t first = 0;

	start("4", "100000", NULL);
	before = tracee_code(&t);
	tracee_tell(&t, "go");
	for (int round = 0; round < 16; round++) {
		const size_t at = from[round % 4];
		size_t impossible = 0;

		if (round)
			tracee_join_again(&t);
		for (size_t i = at; i < t.nsites; i++)
			impossible += is_impossible(&t.sites[i]);
		check(tracee_prepare(&t, at, t.nsites - at, NULL, NULL) == impossible);
		check(tracee_set(&t, at, t.nsites - at, true) == 0);
		tracee_count(&t);
		run_until_hit(at);
		for (size_t i = 0; i < at; i++)
			check(t.counters[i] == 0);
		dt_patch_close(t.patches);
		if (round == 3)
			first = mappings();
	}
	tracee_tell(&t, "stop");
	code_is_restored(before);
	if (mappings() != first)
		fail("%zu mappings after 4 sessions, %zu after 16", first, mappings());
	tracee_quit(&t);
}

/* An index is given to another site, and a site gets another index. */
static void forget(void)
{
	const uint32_t one = 0;
	struct dt_patch_site site;
	struct dt_remote *remote;
	char why[DT_WHYLEN];
	uint64_t count;

	start("2", "0", NULL);
	check(tracee_prepare(&t, 0, 2, NULL, NULL) == 0);
	check(tracee_set(&t, 0, 1, true) == 0);
	tracee_tell(&t, "go");
	run_until(1);
	check(dt_patch_forget(t.patches, &one, 1, NULL, NULL) == 0);
	tracee_tell(&t, "stop");
	check(t.counters[0] > 0);
	count = t.counters[0];
	site = (struct dt_patch_site){.pc = t.sites[0].pc, .index = 9};
	check(dt_inject_begin(t.pid, &remote, why) == 0);
	check(dt_patch_prepare(t.patches, remote, &site, 1, NULL, NULL) == 0);
	remote->ops->end(remote);
	check(tracee_set(&t, 9, 1, true) == 0);
	tracee_tell(&t, "go");
	run_until(count + 1);
	tracee_tell(&t, "stop");
	check(t.counters[0] == count && t.counters[9] > 0);
	dt_patch_close(t.patches);
	tracee_quit(&t);
}

/* Keep the reason of a failure: a dt_patch_failed_f. */
static void note(void *why, uint32_t index, int error, const char *text)
{
	(void)index, (void)error;
	snprintf(why, DT_WHYLEN, "%s", text);
}

/*
 * The NOP of one byte before a static site becomes a site again and again, as that of a library
 * which is loaded many times: first alone, then with the static site, which is part of its
 * distance.
 */
static void reloaded(void)
{
	const uint32_t indices[] = {0, 9};
	struct dt_patch_site sites[2];
	struct dt_remote *remote;
	char why[DT_WHYLEN] = "";
	unsigned char byte;

	start("1", "0", NULL);
	check(dt_memory_read(t.pid, t.sites[0].pc - 1, &byte, 1) && byte == 0x90);
	sites[0] = (struct dt_patch_site){.pc = t.sites[0].pc, .index = indices[0]};
	sites[1] = (struct dt_patch_site){
		.pc = t.sites[0].pc - 1, .index = indices[1], .instruction = true};
	for (int round = 0; round < 5; round++) {
		check(dt_inject_begin(t.pid, &remote, why) == 0);
		for (int i = 1; i >= 0; i--) {
			check(dt_patch_prepare(t.patches, remote, &sites[i], 1, note, why) == 0);
			if (*why)
				fail("round %d, site %d: %s", round, i, why);
		}
		remote->ops->end(remote);
		check(dt_patch_set(t.patches, indices, 2, true, false, note, NULL, why) == 0);
		tracee_count(&t);
		tracee_tell(&t, "go");
		run_until(2);
		tracee_tell(&t, "stop");
		check(t.counters[0] > 0 && t.counters[0] == t.counters[9]);
		check(dt_patch_forget(t.patches, indices, 2, NULL, NULL) == 0);
	}
	dt_patch_close(t.patches);
	tracee_quit(&t);
}

/* Fail unless all sites have as many hits, of passes from now on. */
static void hits_are_equal(void)
{
	tracee_count(&t);
	tracee_tell(&t, "go");
	run_until_hit(0);
	tracee_tell(&t, "stop");
	for (size_t i = 1; i < t.nsites; i++)
		if (t.counters[i] != t.counters[0])
			fail("site %zu has %lu hits, not %lu", i, (unsigned long)t.counters[i],
			     (unsigned long)t.counters[0]);
}

/*
 * The NOP of one byte before each static site becomes a site too, while the static sites are on and
 * are passed: none of them may use it any longer.
 */
static void preceded(void)
{
	unsigned char *before;
	char why[DT_WHYLEN];
	size_t n = 0;

	start("4", "0", NULL);
	for (size_t i = 0; i < t.nsites; i++)
		if (t.sites[i].kind == 0)
			t.sites[n++] = t.sites[i];
	t.nsites = n;
	before = tracee_code(&t);
	check(tracee_prepare(&t, 0, n, NULL, NULL) == 0);
	check(tracee_set(&t, 0, n, true) == 0);
	tracee_tell(&t, "go");
	run_until_hit(0);
	for (size_t i = 0; i < n; i++)
		t.sites[n + i] = (struct tracee_site){t.sites[i].pc - 1, KIND_INSTRUCTION};
	if (tracee_prepare(&t, n, n, NULL, why) != 0)
		fail("%s", why);
	check(tracee_set(&t, n, n, true) == 0);
	t.nsites = 2 * n;
	run_until_hit(n);
	tracee_tell(&t, "stop");
	hits_are_equal();
	check(tracee_set(&t, 0, 2 * n, false) == 0);
	t.nsites = n;
	code_is_restored(before);
	dt_patch_close(t.patches);
	tracee_quit(&t);
}

/* Code that is no site is refused with the reason, and the others are prepared. */
static void refuse(void)
{
	const unsigned char trap = 0xcc, jump = 0xe9, other[] = {0x31, 0xc0}, nop = 0x90;
	const unsigned char trap_undefined[] = {0x0f, 0x0b};
	struct dt_patch_site site;
	struct dt_remote *remote;
	char why[DT_WHYLEN];
	int error;

	start("1", "0", NULL);
	check(dt_memory_write(t.pid, t.sites[0].pc, &trap, 1));
	check(tracee_prepare(&t, 0, 1, &error, why) == 1 && error == -EBUSY);
	check(strstr(why, "breakpoint"));
	check(dt_memory_write(t.pid, t.sites[0].pc, &jump, 1));
	check(tracee_prepare(&t, 0, 1, &error, why) == 1 && error == -EBUSY);
	check(strstr(why, "another dtrace"));
	check(dt_memory_write(t.pid, t.sites[0].pc, other, 2));
	check(tracee_prepare(&t, 0, 2, &error, why) == 1 && error == -EILSEQ);
	check(strstr(why, "31 c0 66 66 90"));
	site = (struct dt_patch_site){.pc = t.sites[0].pc, .index = 9, .instruction = true};
	check(dt_memory_write(t.pid, t.sites[0].pc, trap_undefined, 2));
	check(dt_inject_begin(t.pid, &remote, why) == 0);
	check(dt_patch_prepare(t.patches, remote, &site, 1, note, why) == 0);
	remote->ops->end(remote);
	check(strstr(why, "cannot be traced: it is a trap"));
	t.sites[2].pc = (uint64_t)(uintptr_t)&t;
	check(tracee_prepare(&t, 2, 1, &error, why) == 1 && error == -ENOENT);
	/* a site that is changed by others while it is on stays theirs */
	check(tracee_set(&t, 1, 1, true) == 0);
	check(dt_memory_write(t.pid, t.sites[1].pc - 1, &trap, 1));
	check(tracee_set(&t, 1, 1, false) == 1);
	check(dt_memory_write(t.pid, t.sites[1].pc - 1, &nop, 1));
	dt_patch_close(t.patches);
	tracee_quit(&t);
}

/* A library goes away while its site is on; the same address may have other code. */
static void unload(void)
{
	char command[4096];
	size_t at;

	start("1", "0", NULL);
	snprintf(command, sizeof(command), "load %s", object);
	at = t.nsites;
	tracee_tell(&t, command);
	check(t.nsites == at + 1);
	check(tracee_prepare(&t, at, 1, NULL, NULL) == 0);
	check(tracee_set(&t, at, 1, true) == 0);
	tracee_tell(&t, "unload");
	check(tracee_set(&t, at, 1, false) == 0);
	check(tracee_set(&t, at, 1, true) == 1);
	dt_patch_close(t.patches);
	tracee_quit(&t);
}

/* A forked child has the sites of its parent, until they are restored. */
static void forked(void)
{
	unsigned char *before, *after;
	struct tracee child;
	char line[64];
	int memory, pid;

	start("4", "0", NULL);
	before = tracee_code(&t);
	prepare_all();
	check(tracee_set(&t, 0, t.nsites, true) == 0);
	fprintf(t.to, "fork\n");
	fflush(t.to);
	tracee_line(&t, line, sizeof(line));
	check(sscanf(line, "child %d", &pid) == 1);
	tracee_line(&t, line, sizeof(line));
	child = t;
	child.pid = pid;
	while (tracee_count(&t) == 0)
		run(1);
	memory = dt_memory_open(pid, O_RDWR);
	dt_patch_forked(t.patches, pid, memory);
	close(memory);
	after = tracee_code(&child);
	check(memcmp(before, after, 16 * t.nsites) == 0);
	run(50);
	check(kill(pid, 0) == 0);
	kill(pid, SIGKILL);
	dt_patch_close(t.patches);
	code_is_restored(before);
	tracee_quit(&t);
}

static void semaphore(void)
{
	struct dt_remote *remote;
	char why[DT_WHYLEN];
	uint16_t value;
	int64_t at;

	start("1", "0", NULL);
	check(dt_inject_begin(t.pid, &remote, why) == 0);
	at = remote->ops->map(remote, 0, 4096, 3, 1, t.data, 4096);
	remote->ops->end(remote);
	check(at > 0);
	check(tracee_prepare(&t, 0, 3, NULL, NULL) == 0);
	check(tracee_set(&t, 0, 3, true) == 0);
	check(dt_patch_semaphore(t.patches, 0, (uint64_t)at + 2, NULL, NULL) == 0);
	check(dt_patch_semaphore(t.patches, 1, (uint64_t)at + 2, NULL, NULL) == 0);
	check(dt_patch_semaphore(t.patches, 2, 8, NULL, NULL) == -EFAULT);
	check(dt_memory_read(t.pid, (uint64_t)at + 2, &value, 2) && value == 2);
	check(dt_patch_semaphore(t.patches, 0, 0, NULL, NULL) == 0);
	check(dt_memory_read(t.pid, (uint64_t)at + 2, &value, 2) && value == 1);
	check(tracee_set(&t, 1, 1, false) == 0);
	check(dt_memory_read(t.pid, (uint64_t)at + 2, &value, 2) && value == 0);
	check(tracee_set(&t, 1, 1, true) == 0);
	check(dt_memory_read(t.pid, (uint64_t)at + 2, &value, 2) && value == 1);
	dt_patch_close(t.patches);
	check(dt_memory_read(t.pid, (uint64_t)at + 2, &value, 2) && value == 0);
	tracee_quit(&t);
}

/* The notes of each site that is on, or will be. */
struct notes {
	struct agent_patch list[8192];
	bool before[8192]; /* it was noted before the site was written */
	size_t n;
};

static void take_note(void *arg, const struct agent_patch *patch)
{
	struct notes *notes = arg;
	uint8_t bytes[5];
	size_t i = 0;

	while (i < notes->n && notes->list[i].addr != patch->addr)
		i++;
	check(i < sizeof(notes->list) / sizeof(notes->list[0]));
	if (i == notes->n) {
		notes->n++;
		check(patch->size >= 1 && patch->size <= 5);
		check(dt_memory_read(t.pid, patch->addr, bytes, sizeof(bytes)));
		notes->before[i] = memcmp(bytes, patch->before, patch->size) == 0;
	}
	notes->list[i] = *patch;
}

/* A comparison of patches for qsort(): those with the largest depth come first. */
static int note_compare(const void *a, const void *b)
{
	return ((const struct agent_patch *)b)->depth - ((const struct agent_patch *)a)->depth;
}

/* Undo a site as its note says. */
static void note_undo(const struct agent_patch *note)
{
	int mem = dt_memory_open(t.pid, O_RDWR);

	check(pwrite(mem, note->before, note->size, (off_t)note->addr) == note->size);
	close(mem);
}

#define SITES_MOST 4096

/* Start a tracee, prepare all its sites, and number their indices from 0. Return its code. */
static unsigned char *start_numbered(uint32_t *indices)
{
	unsigned char *code;

	for (uint32_t i = 0; i < SITES_MOST; i++)
		indices[i] = i;
	start_all("1", "0", NULL);
	code = tracee_code(&t);
	tracee_prepare(&t, 0, t.nsites, NULL, NULL);
	return code;
}

/*
 * How to undo a site is noted before it is written, and until it is off. The notes suffice to undo
 * all sites without their table, as after dtrace has been killed.
 */
static void notes(void)
{
	static struct notes told;
	uint32_t indices[SITES_MOST];
	unsigned char *before;
	uint8_t now[5];

	before = start_numbered(indices);
	check(dt_patch_set(t.patches, indices, t.nsites, true, false, NULL, take_note, &told) == 0);
	check(told.n > 0);
	for (size_t i = 0; i < told.n; i++) {
		check(told.before[i]);
		check(dt_memory_read(t.pid, told.list[i].addr, now, sizeof(now)));
		check(memcmp(now, told.list[i].now, sizeof(now)) == 0);
	}
	check(dt_patch_set(t.patches, indices, t.nsites, false, false, NULL, take_note, &told) ==
	      0);
	for (size_t i = 0; i < told.n; i++)
		check(told.list[i].size == 0);
	code_is_restored(before);

	before = tracee_code(&t);
	told.n = 0;
	check(dt_patch_set(t.patches, indices, t.nsites, true, false, NULL, take_note, &told) == 0);
	qsort(told.list, told.n, sizeof(told.list[0]), note_compare);
	for (size_t i = 0; i < told.n; i++) {
		check(dt_memory_read(t.pid, told.list[i].addr, now, sizeof(now)));
		check(memcmp(now, told.list[i].now, sizeof(now)) == 0);
		note_undo(&told.list[i]);
	}
	code_is_restored(before);
	dt_patch_close(t.patches);
	tracee_quit(&t);
}

/* A site is off also if the process has undone it first, as it may do when a session ends. */
static void undone(void)
{
	static struct notes told;
	uint32_t indices[SITES_MOST];
	unsigned char *before;

	before = start_numbered(indices);
	check(dt_patch_set(t.patches, indices, t.nsites, true, false, NULL, take_note, &told) == 0);
	qsort(told.list, told.n, sizeof(told.list[0]), note_compare);
	for (size_t i = 0; i < told.n; i++)
		if (!told.list[i].stop)
			note_undo(&told.list[i]);
	check(tracee_set(&t, 0, t.nsites, false) == 0);
	code_is_restored(before);
	dt_patch_close(t.patches);
	tracee_quit(&t);
}

/* Return whether the main thread of a process has a state, as in ") Z ". */
static bool main_is(pid_t pid, const char *state)
{
	char stat[512];

	dt_proc_read(stat, sizeof(stat), "/proc/%d/stat", pid);
	return strstr(stat, state);
}

/* A child that ends before it has stopped leaves its status for the test, which is its parent. */
static void late(void)
{
	struct dt_seized *threads;
	char why[DT_WHYLEN];
	const pid_t pid = fork();
	siginfo_t info;
	int status;

	if (pid == 0) {
		if (vfork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			pause();
		}
		_exit(0);
	}
	while (!main_is(pid, ") D "))
		run(1);
	check(dt_seize_all(pid, &threads, why) == -ETIMEDOUT);
	kill(pid, SIGKILL);
	check(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0);
	dt_seize_reap();
	check(waitpid(pid, &status, 0) == pid);
	check(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* Fork a child that ends the victim, or only its main thread, after a while. */
static void end_soon(bool killed, int ms)
{
	if (fork())
		return;
	poll(NULL, 0, ms);
	if (killed)
		kill(t.pid, SIGKILL);
	else
		dprintf(fileno(t.to), "leave\n");
	_exit(0);
}

/*
 * The process is killed while its sites are switched, or its main thread ends. Nothing waits for as
 * long as it would for a thread that does not stop.
 */
static void ends(bool killed)
{
	const uint64_t begin = dt_now();
	uint32_t indices[4096];
	int error;

	for (uint32_t i = 0; i < 4096; i++)
		indices[i] = i;
	for (int round = 0; round < 10; round++) {
		bool ended;

		start("4", "0", round % 2 ? "occupy" : NULL);
		tracee_prepare(&t, 0, t.nsites, NULL, NULL);
		tracee_tell(&t, "go");
		end_soon(killed, 2 * round);
		do {
			ended = main_is(t.pid, ") Z ");
			error = dt_patch_set(t.patches, indices, t.nsites, true, false, NULL, NULL,
					     NULL);
			dt_patch_set(t.patches, indices, t.nsites, false, false, NULL, NULL, NULL);
		} while (!error && (killed || !ended));
		dt_patch_close(t.patches);
		kill(t.pid, SIGKILL);
		check(error == (killed ? -ESRCH : 0));
		wait(NULL);
		wait(NULL);
	}
	check(dt_now() - begin < 20000000000);
}

static void killed(void)
{
	ends(true);
}

static void left(void)
{
	ends(false);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {{"exact", exact},	       {"toggle", toggle},
		     {"five", five},	       {"instructions", instructions},
		     {"traced", traced},       {"later", later},
		     {"forget", forget},       {"refuse", refuse},
		     {"unload", unload},       {"forked", forked},
		     {"semaphore", semaphore}, {"killed", killed},
		     {"undone", undone},       {"left", left},
		     {"late", late},	       {"notes", notes},
		     {"again", again},	       {"reloaded", reloaded},
		     {"preceded", preceded},   {"interrupted", interrupted}};

	signal(SIGPIPE, SIG_IGN);
	if (argc < 3)
		return 2;
	victim = argv[2];
	object = argc > 3 ? argv[3] : NULL;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (strcmp(argv[1], cases[i].name) == 0) {
			cases[i].run();
			return 0;
		}
	return 2;
}
