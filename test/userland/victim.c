/* SPDX-License-Identifier: MIT */
/*
 * victim.c - a program of hot sites: checks at each pass that the program has what it had.
 *
 *	victim THREADS SIGNALS [OCCUPY]
 *
 * It prints a line "site PC KIND" for each site, and then "ready". Commands come as lines on
 * standard input:
 *	go		let THREADS threads pass all sites again and again; with SIGNALS other than
 *			0, a timer's signal interrupts them, whose handler passes sites too
 *	stop		wait until all threads have stopped at the end of a round
 *	fork		fork a child that passes each site until its standard input ends; print
 *			"child PID"
 *	load PATH	dlopen() an object; print a line "site PC KIND" for its site
 *	unload		dlclose() it
 *	hold PC		pass a site, but interrupt it by a signal when it comes to the address PC,
 *			and that handler by another signal, on a stack of its own; wait there
 *	return PC	the same, but interrupt the code behind the handler, which calls
 *			rt_sigreturn(), by the other signal
 *	go on		return from these handlers, and end the pass
 *	leave		end the main thread alone, without an answer
 *	quit		end
 * Each is answered by a line "done PASSES WRONG": how often all recorded sites together were
 * passed, and how often something was not as it should be.
 *
 * OCCUPY: pages are mapped where the jumps of sites would lead with one byte written.
 */
#define _GNU_SOURCE /* REG_RIP */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

struct values {
	uint64_t red[16], gpr[16];
	unsigned char vec[16][32], x87[8][16];
	uint64_t flags, over, pad[14];
};

/* The variables that sites.S sets and reads. */
struct state {
	struct values in, out;
	uint64_t avx;
};

enum kind { RECORDED, CALL, JUMP, JUMP_IF, SYSTEMTAP, ENABLED, INSTRUCTION, ROW };

struct check {
	uint64_t pc;
	void (*function)(struct state *state);
	uint64_t kind;
	void (*twin)(struct state *state); /* the same code without a site, or NULL */
};
extern const struct check checks[], checks_end[];
#define NCHECKS ((size_t)(checks_end - checks))

#define TRAP_FLAG 0x100 /* of eflags */

static atomic_bool going;
static atomic_ulong passes, wrong;
static _Thread_local unsigned long own_passes;
static _Thread_local uint64_t seed;
static bool has_avx;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void values_fill(struct values *v)
{
	memset(v, 0, sizeof(*v));
	for (int i = 0; i < 16; i++) {
		v->red[i] = next_random();
		v->gpr[i] = i < 14 ? next_random() : 0;
		for (int k = 0; k < 4; k++) {
			uint64_t word = k < 2 || has_avx ? next_random() : 0;

			memcpy(v->vec[i] + 8 * k, &word, 8);
		}
	}
	for (int i = 0; i < 8; i++) {
		const long double number = (long double)(int64_t)next_random() / 3;

		memcpy(v->x87[i], &number, 10);
	}
	v->flags = (next_random() & 0xd5) | 2; /* SF ZF AF PF CF */
	v->over = next_random() & 1;
}

/*
 * Return whether a site is passed. A jump of kind JUMP_IF has no page to go to in a program that is
 * mapped low, so it cannot be traced there.
 */
static bool is_passed(const struct check *check)
{
#ifdef __PIE__
	(void)check;
	return true;
#else
	return check->kind != JUMP_IF;
#endif
}

/* Pass a site. Return false if something was not as it should be. */
static bool pass(const struct check *check, struct state *state)
{
	if (check->kind == ENABLED) {
		int (*ask)(void) = (int (*)(void))(uintptr_t)check->function;
		int answer = ask();

		return answer == 0 || (answer & 0xff) == 0xc0;
	}
	state->out = (struct values){0};
	if (check->kind == JUMP || check->kind == JUMP_IF || check->pc % 4096 == 4094)
		state->in.red[15] = 0; /* it is not used */
	if (check->twin) {
		struct values expected;

		check->twin(state);
		expected = state->out;
		state->out = (struct values){0};
		check->function(state);
		return memcmp(&expected, &state->out, sizeof(expected)) == 0;
	}
	check->function(state);
	return memcmp(&state->in, &state->out, sizeof(state->in)) == 0;
}

static void round_of_passes(void)
{
	struct state state;

	memset(&state, 0, sizeof(state));
	state.avx = has_avx;
	for (size_t i = 0; i < NCHECKS; i++) {
		if (i % 16 == 0)
			values_fill(&state.in);
		if (!is_passed(&checks[i]))
			continue;
		if (!pass(&checks[i], &state))
			atomic_fetch_add(&wrong, 1);
		own_passes += checks[i].kind < ENABLED;
	}
}

static void on_timer(int sig)
{
	struct state state;
	uint64_t saved = seed;

	(void)sig;
	memset(&state, 0, sizeof(state));
	state.avx = has_avx;
	seed = saved | 1;
	values_fill(&state.in);
	for (size_t i = saved % 7; i < NCHECKS; i += 7) {
		if (!is_passed(&checks[i]))
			continue;
		if (!pass(&checks[i], &state))
			atomic_fetch_add(&wrong, 1);
		if (checks[i].kind < ENABLED)
			atomic_fetch_add(&passes, 1);
	}
	seed = saved;
}

static void *worker(void *arg)
{
	seed = (uint64_t)(uintptr_t)arg * 0x9e3779b97f4a7c15u + 1;
	own_passes = 0;
	while (atomic_load(&going))
		round_of_passes();
	atomic_fetch_add(&passes, own_passes);
	return NULL;
}

static void timer_begin(long ns)
{
	static timer_t timer;
	static bool made;
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
	struct itimerspec when = {{0, ns}, {0, ns}};

	signal(SIGALRM, on_timer);
	if (!made && timer_create(CLOCK_MONOTONIC, &event, &timer) == -1)
		abort();
	made = true;
	timer_settime(timer, 0, &when, NULL);
}

/* Map a page where a site's jump would lead, whichever of its bytes is written. */
static void occupy(const struct check *check)
{
	const unsigned char *at = (const unsigned char *)(uintptr_t)check->pc;

	for (int back = 0; back < 2; back++) {
		int32_t distance;
		uintptr_t target;

		memcpy(&distance, at - back + 1, sizeof(distance));
		target = (uintptr_t)(at - back + 5 + distance);
		mmap((void *)(target & ~4095UL), 8192, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		mmap((void *)(target & ~4095UL), 4096, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	}
}

#ifdef STATIC
static void load(const char *path)
{
	(void)path;
	abort();
}

static void unload(void)
{
	abort();
}
#else
static void *loaded;

static void load(const char *path)
{
	const struct check *check;

	loaded = dlopen(path, RTLD_NOW);
	check = loaded ? dlsym(loaded, "loaded_check") : NULL;
	if (!check)
		abort();
	printf("site %lx %d\n", (unsigned long)check->pc, (int)check->kind);
}

static void unload(void)
{
	dlclose(loaded);
}
#endif

static uint64_t hold_at;
static bool hold_returning, held;
static char line[4096];

static void answer(void)
{
	printf("done %lu %lu\n", atomic_load(&passes), atomic_load(&wrong));
}

static void on_hold(int sig)
{
	(void)sig;
	held = true;
	answer();
	if (!fgets(line, sizeof(line), stdin) || strcmp(line, "go on\n") != 0)
		abort();
}

static void step_begin(void)
{
	__asm__ volatile("pushfq; orq %0, (%%rsp); popfq" ::"i"(TRAP_FLAG) : "memory", "cc");
}

/* Single steps of a handler that returns: hold when the code that calls rt_sigreturn() begins. */
static void on_return(int sig, siginfo_t *info, void *context)
{
	static const unsigned char call[] = {0x48, 0xc7, 0xc0, 15};
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)info;
	if (memcmp((void *)(uintptr_t)regs[REG_RIP], call, sizeof(call)) != 0)
		return;
	regs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
	on_hold(sig);
}

/* A single step of the pass. */
static void on_step(int sig, siginfo_t *info, void *context)
{
	const struct sigaction other = {.sa_sigaction = on_return,
					.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)info;
	if ((uint64_t)regs[REG_RIP] != hold_at)
		return;
	regs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
	if (!hold_returning) {
		raise(SIGUSR1);
		return;
	}
	if (sigaction(sig, &other, NULL))
		abort();
	step_begin();
}

/* Pass the site with an address; stop there until "go on". */
static void hold(uint64_t at, bool returning)
{
	static unsigned char other[65536];
	const stack_t stack = {.ss_sp = other, .ss_size = sizeof(other)};
	const struct sigaction step = {.sa_sigaction = on_step,
				       .sa_flags = SA_SIGINFO | SA_NODEFER},
			       wait = {.sa_handler = on_hold, .sa_flags = SA_ONSTACK};
	const struct check *check = NULL;
	struct state state;

	for (size_t i = 0; i < NCHECKS; i++)
		if (checks[i].pc <= at && (!check || checks[i].pc > check->pc))
			check = &checks[i];
	if (!check || sigaltstack(&stack, NULL) || sigaction(SIGTRAP, &step, NULL) ||
	    sigaction(SIGUSR1, &wait, NULL))
		abort();
	memset(&state, 0, sizeof(state));
	state.avx = has_avx;
	values_fill(&state.in);
	hold_at = at;
	hold_returning = returning;
	held = false;
	step_begin();
	if (!pass(check, &state))
		atomic_fetch_add(&wrong, 1);
	if (!held)
		abort();
}

static void child_run(void)
{
	pid_t child = fork();

	if (child) {
		printf("child %d\n", (int)child);
		return;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		round_of_passes();
		usleep(1000);
		if (atomic_load(&wrong))
			_exit(1);
	}
}

int main(int argc, char **argv)
{
	const int nthreads = atoi(argv[1]);
	const long signals = atol(argv[2]);
	pthread_t threads[64];
	int running = 0;

	has_avx = __builtin_cpu_supports("avx");
	seed = 88172645463325252u;
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; argc > 3 && i < NCHECKS; i++)
		occupy(&checks[i]);
	for (size_t i = 0; i < NCHECKS; i++)
		printf("site %lx %d\n", (unsigned long)checks[i].pc, (int)checks[i].kind);
	printf("ready\n");
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (strcmp(line, "go") == 0) {
			atomic_store(&going, true);
			for (; running < nthreads; running++)
				pthread_create(&threads[running], NULL, worker,
					       (void *)(uintptr_t)(running + 1));
			if (signals)
				timer_begin(signals);
		} else if (strcmp(line, "stop") == 0) {
			atomic_store(&going, false);
			if (signals)
				timer_begin(0);
			while (running > 0)
				pthread_join(threads[--running], NULL);
		} else if (strcmp(line, "fork") == 0) {
			child_run();
		} else if (strncmp(line, "load ", 5) == 0) {
			load(line + 5);
		} else if (strcmp(line, "unload") == 0) {
			unload();
		} else if (strncmp(line, "hold ", 5) == 0) {
			hold(strtoull(line + 5, NULL, 16), false);
		} else if (strncmp(line, "return ", 7) == 0) {
			hold(strtoull(line + 7, NULL, 16), true);
		} else if (strcmp(line, "leave") == 0) {
			pthread_exit(NULL);
		} else if (strcmp(line, "quit") == 0) {
			break;
		}
		answer();
	}
	return 0;
}
