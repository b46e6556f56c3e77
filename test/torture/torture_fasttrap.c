// SPDX-License-Identifier: MIT
/*
 * torture_fasttrap.c - send requests that are nearly correct to /dev/dtrace/fasttrap, and policies
 * to /dev/dtrace/dtrace, from many threads.
 *
 *	torture-fasttrap SECONDS PREY
 *
 * PREY is a copy of this program, a file of its own, which is run as `PREY run`. Requests name only
 * processes of that file, since wrong sites may kill them. The program also kills them now and
 * then, and replaces them. It is not position-independent, so that its addresses are those of the
 * prey.
 *
 * First the device must accept each kind of request once, unchanged. The program prints the numbers
 * of requests and deaths. Its status is 1 if such a request was refused or one of its own processes
 * died, and UNTIL_FAILED if too few changed requests were accepted.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <dtrace/fasttrap.h>
#include <dtrace/ioctl.h>

#include "../kernel/programs/pid_dof.h"
#include "../lib/random.h"
#include "dof_sample.h"
#include "until.h"

#define PREY	    4
#define PROCESSES   2
#define THREADS	    3
#define BUFFER_SIZE 16384
#define ROWS	    16

static struct shared {
	pid_t prey[PREY];
	unsigned long tried, taken, prey_deaths, our_deaths;
} * shared;
static const char *prey_path;
static struct until until;

/* The state of a thread. buffer: memory that the kernel reads while another thread changes it. */
struct thrower {
	uint64_t seed;
	int device, tracing, prey_file;
	uint8_t *buffer;
	bool sound; /* requests are correct */
	int last;   /* registration */
};

static bool is_enough(void)
{
	return shared->tried > 100 && shared->taken > 20;
}

static bool is_over(void)
{
	return until_over(&until, is_enough());
}

static unsigned int any(struct thrower *t, unsigned int n)
{
	return (unsigned int)(random_next(&t->seed) >> 33) % n;
}

/* ---- the prey ---- */

__attribute__((noinline)) unsigned long prey_sum(unsigned long n)
{
	unsigned long sum = n;

	for (int i = 0; i < 10; i++)
		sum = sum * 7 + (sum >> 3);
	return sum;
}

__attribute__((noinline)) unsigned long prey_call(unsigned long n)
{
	return prey_sum(n) + prey_sum(n + 1);
}

static volatile unsigned long prey_result;

/* Run for 300 s, and fork children, some of which execute the program again. */
static int prey_main(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(300);
	for (unsigned long i = 0;; i++) {
		prey_result = prey_call(i);
		usleep(100);
		if (i % 1000 == 500 && fork() == 0) {
			prey_result = prey_call(i);
			if (i % 2000 == 500)
				execl("/proc/self/exe", "prey", "once", NULL);
			_exit(0);
		}
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
}

/* Return the process for a request: prey, or a number that is not that of any program. */
static int32_t victim(struct thrower *t)
{
	static const int32_t nobody[] = {0, -1, 2, INT32_MAX, INT32_MIN};
	unsigned int choice = t->sound ? 0 : any(t, 30);

	return choice < 5 && !t->sound ? nobody[choice] : shared->prey[any(t, PREY)];
}

/* ---- requests that are right, before something is changed ---- */

static uint64_t site_address(struct thrower *t)
{
	uint64_t start = (uintptr_t)(any(t, 2) ? prey_sum : prey_call);

	return start + (t->sound || any(t, 2) ? 0 : any(t, 64));
}

extern const char __ehdr_start[];

static void change(struct thrower *t, void *bytes, size_t size, unsigned int one_in)
{
	if (!t->sound && any(t, one_in) == 0)
		dof_sample_mutate(bytes, size, &t->seed);
}

/* DOF of a few sites, in buffer. */
static dof_helper_t make_helper(struct thrower *t, bool file, uint64_t where)
{
	static const char *const names[] = {"entry", "return", "1f", "0", "entry"};
	dof_helper_t helper = {.dofhp_mod = "a.out", .dofhp_dof = (uintptr_t)t->buffer};
	struct pid_site sites[8];
	size_t n = 1 + any(t, 8), size;
	void *dof;

	for (size_t i = 0; i < n; i++) {
		uint64_t address = site_address(t);
		unsigned int kind = any(t, t->sound ? 2 : 5);

		sites[i] = (struct pid_site){"prey", names[kind],
					     file ? pid_offset(__ehdr_start, address) : address,
					     kind == 1 ? (int64_t)any(t, 64) : -1};
	}
	dof = pid_dof(sites, n, where, &size);
	change(t, dof, size, 2);
	memcpy(t->buffer, dof, size);
	free(dof);
	change(t, &helper, sizeof(helper), 12);
	return helper;
}

static void remember(struct thrower *t, int gen)
{
	if (gen >= 0)
		t->last = gen;
}

static int throw_register(struct thrower *t)
{
	char why[64];
	dtrace_ft_register_t reg = {
		.dtfr_flags = DTRACE_FT_PID | (any(t, 3) ? 0 : DTRACE_FT_FOLLOW),
		.dtfr_dof = 0x1000,
		.dtfr_errmsg = (uintptr_t)why,
		.dtfr_errlen = sizeof(why),
		.dtfr_helper = make_helper(t, false, 0x1000),
	};
	int gen;

	change(t, &reg, sizeof(reg), 8);
	reg.dtfr_pid = victim(t);
	if (reg.dtfr_errmsg != (uintptr_t)why || reg.dtfr_errlen > sizeof(why))
		reg.dtfr_errmsg = 8;
	gen = ioctl(t->device, DTRACEFTIOC_REGISTER, &reg);
	remember(t, gen);
	return gen;
}

static int throw_file(struct thrower *t)
{
	const int fds[] = {t->prey_file, t->prey_file, t->device, 0, -1, 1000};
	dtrace_ft_register_file_t reg = {.dtff_helper = make_helper(t, true, 0)};
	int gen;

	change(t, &reg, sizeof(reg), 8);
	reg.dtff_errmsg = t->sound ? 0 : 8;
	reg.dtff_fd = fds[t->sound ? 0 : any(t, 6)];
	gen = ioctl(t->device, DTRACEFTIOC_REGISTER_FILE, &reg);
	remember(t, gen);
	return gen;
}

static int throw_remove(struct thrower *t)
{
	dtrace_ft_remove_t rm = {any(t, 3) ? victim(t) : 0, t->last - (int)any(t, 4)};

	change(t, &rm, sizeof(rm), 8);
	return ioctl(t->device, DTRACEFTIOC_REMOVE, &rm);
}

static int throw_failures(struct thrower *t)
{
	dtrace_ft_failures_t io = {
		.dtfl_list = (uintptr_t)t->buffer,
		.dtfl_capacity = BUFFER_SIZE / sizeof(dtrace_ft_failure_t),
	};
	uint32_t capacity = io.dtfl_capacity;

	change(t, &io, sizeof(io), 4);
	if (io.dtfl_list != (uintptr_t)t->buffer || io.dtfl_capacity > capacity)
		io.dtfl_list = 8;
	return ioctl(t->device, DTRACEFTIOC_FAILURES, &io);
}

static int throw_count(struct thrower *t)
{
	dtrace_ft_count_t count = {.dtfc_pid = victim(t), .dtfc_pad = any(t, 2)};

	return ioctl(t->device, DTRACEFTIOC_COUNT, &count);
}

/* Follow the forks of a process, with a short timeout for stopped threads. */
static int throw_follow(struct thrower *t)
{
	dtrace_stop_exec_t exec = {.dtfx_timeout = any(t, 50), .dtfx_flags = DTRACE_STOP_FOLLOW};

	change(t, &exec.dtfx_flags, sizeof(exec.dtfx_flags), 2);
	exec.dtfx_pid = victim(t);
	return ioctl(t->device, DTRACEFTIOC_STOP_EXEC, &exec);
}

/* Stop no other program: unless a name begins with p, it gets a byte that no program's has. */
static int throw_stop_exec(struct thrower *t)
{
	dtrace_stop_exec_t exec = {.dtfx_timeout = 1 + any(t, 50), .dtfx_name = "prey"};

	change(t, &exec, sizeof(exec), 2);
	if (exec.dtfx_name[0] != 'p')
		exec.dtfx_name[0] = '\x7f';
	return ioctl(t->device, DTRACEFTIOC_STOP_EXEC, &exec);
}

static int throw_stop_address(struct thrower *t)
{
	dtrace_stop_address_t address = {.dtfa_timeout = 1 + any(t, 50),
					 .dtfa_address = site_address(t),
					 .dtfa_flags = any(t, 2) ? DTRACE_STOP_FOLLOW : 0};

	change(t, &address, sizeof(address), 4);
	address.dtfa_pid = victim(t);
	return ioctl(t->device, DTRACEFTIOC_STOP_ADDRESS, &address);
}

/* Read which threads have stopped, and release one. */
static int throw_release(struct thrower *t)
{
	dtrace_stopped_t stopped[4] = {{0}};
	ssize_t n = read(t->device, t->sound || any(t, 8) ? stopped : (void *)8,
			 any(t, 4) ? sizeof(stopped) : any(t, sizeof(stopped)));

	if (n < (ssize_t)sizeof(stopped[0]))
		stopped[0].dtfd_tid = victim(t);
	return ioctl(t->device, DTRACEFTIOC_STOP_RELEASE, (unsigned long)stopped[0].dtfd_tid);
}

static int throw_stop_end(struct thrower *t)
{
	return ioctl(t->device, DTRACEFTIOC_STOP_END,
		     any(t, 8) ? any(t, 40) : random_next(&t->seed));
}

struct table {
	uint32_t addrs[ROWS];
	uint16_t index[ROWS];
	dtrace_unwind_rule_t rules[ROWS];
};

static int throw_table(struct thrower *t)
{
	struct table *table = (struct table *)t->buffer;
	dtrace_unwind_load_t load = {(uintptr_t)table->addrs,
				     (uintptr_t)table->index,
				     (uintptr_t)table->rules,
				     ROWS,
				     ROWS,
				     any(t, 4) ? 8 : 4,
				     0};

	memset(table, 0, sizeof(*table));
	for (unsigned int i = 0; i < ROWS; i++) {
		table->addrs[i] = i << 8;
		table->index[i] = (uint16_t)any(t, ROWS);
		table->rules[i] =
			(dtrace_unwind_rule_t){.dtur_kind = (uint8_t)any(t, DTRACE_UNWIND_NKINDS),
					       .dtur_base = 7,
					       .dtur_cfa = 8 * (int32_t)any(t, 9)};
	}
	change(t, table, sizeof(*table), 2);
	change(t, &load, sizeof(load), 4);
	return ioctl(t->device, DTRACEFTIOC_UNWIND_TABLE, &load);
}

static int throw_maps(struct thrower *t)
{
	uint64_t start = (uintptr_t)__ehdr_start;
	dtrace_unwind_mapping_t *maps = (void *)t->buffer;
	dtrace_unwind_process_t process = {0, 1 + any(t, 2), (uintptr_t)maps};

	maps[0] = (dtrace_unwind_mapping_t){start, start + 0x10000, start,
					    t->sound ? -1 : (int)any(t, 6) - 1, 0};
	maps[1] = (dtrace_unwind_mapping_t){start + 0x10000, start + 0x20000, 0, -1, 0};
	change(t, maps, 2 * sizeof(maps[0]), 2);
	change(t, &process, sizeof(process), 4);
	process.dtup_pid = victim(t);
	return ioctl(t->device, DTRACEFTIOC_UNWIND_MAPS, &process);
}

static int throw_missing(struct thrower *t)
{
	return ioctl(t->device, DTRACEFTIOC_UNWIND_MISSING,
		     t->sound || any(t, 4) ? t->buffer : (uint8_t *)8);
}

static int throw_policy(struct thrower *t)
{
	dtrace_policy_entry_t *entries = (void *)t->buffer;
	dtrace_policy_t policy = {.dtpo_entries = (uintptr_t)entries, .dtpo_n = any(t, 9)};

	for (uint32_t i = 0; i < policy.dtpo_n; i++)
		entries[i] = (dtrace_policy_entry_t){.dtpe_who = DTRACE_POLICY_UID + any(t, 2),
						     .dtpe_id = any(t, 2000),
						     .dtpe_rights = DTRACE_PRIV_PROC};
	change(t, entries, 8 * sizeof(entries[0]), 2);
	change(t, &policy, sizeof(policy), 4);
	return ioctl(t->tracing, DTRACEIOC_POLICY, &policy);
}

/* Send a request with a random number or a bad address. */
static int throw_noise(struct thrower *t)
{
	unsigned long cmd = any(t, 4) ? _IOC(any(t, 4), 'F', any(t, 24), any(t, 1 << 14))
				      : random_next(&t->seed);
	static const uintptr_t odd[] = {0, 8, 0x7ffffffff000 - 8, 0xffffffff81000000};

	return ioctl(t->device, cmd, odd[any(t, 4)]);
}

static const struct {
	const char *name;
	int (*throw)(struct thrower *);
	bool free; /* a correct request may be refused, too */
} kinds[] = {
	{"register", throw_register, false},
	{"register-file", throw_file, false},
	{"failures", throw_failures, false},
	{"count", throw_count, false},
	{"stop-exec", throw_stop_exec, false},
	{"follow", throw_follow, false},
	{"stop-address", throw_stop_address, false},
	{"unwind-table", throw_table, true},
	{"unwind-maps", throw_maps, false},
	{"unwind-missing", throw_missing, false},
	{"policy", throw_policy, false},
	{"remove", throw_remove, true},
	{"release", throw_release, true},
	{"stop-end", throw_stop_end, true},
	{"noise", throw_noise, true},
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* ---- throwing ---- */

static int device_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0)
		err(2, "%s", path);
	return fd;
}

static void thrower_open(struct thrower *t)
{
	t->device = device_open("/dev/dtrace/fasttrap", O_RDWR | O_NONBLOCK);
	t->tracing = device_open(DTRACE_DEVICE, O_RDWR);
	t->prey_file = device_open(prey_path, O_RDONLY);
	t->last = 0;
}

static void thrower_close(struct thrower *t)
{
	close(t->device);
	close(t->tracing);
	close(t->prey_file);
}

static void thrower_init(struct thrower *t, uint8_t *buffer)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	*t = (struct thrower){.seed = ((uint64_t)now.tv_nsec << 20 ^ (uintptr_t)buffer) | 1,
			      .buffer = buffer};
	thrower_open(t);
}

static uint8_t *buffers[THREADS];

static void *throw_all(void *data)
{
	struct thrower t;

	thrower_init(&t, data);
	while (!is_over()) {
		int result = kinds[any(&t, KINDS)].throw(&t);

		__atomic_add_fetch(&shared->tried, 1, __ATOMIC_RELAXED);
		__atomic_add_fetch(&shared->taken, result >= 0, __ATOMIC_RELAXED);
		if (any(&t, 60) == 0) {
			thrower_close(&t);
			thrower_open(&t);
		}
	}
	thrower_close(&t);
	return NULL;
}

static void process_main(void)
{
	uint64_t seed = (uint64_t)getpid() << 1 | 1;
	pthread_t threads[THREADS];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int i = 0; i < THREADS; i++) {
		buffers[i] = mmap(NULL, BUFFER_SIZE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (buffers[i] == MAP_FAILED ||
		    pthread_create(&threads[i], NULL, throw_all, buffers[i]))
			errx(2, "no thread");
	}
	while (!is_over()) { /* change bytes while the kernel reads them */
		buffers[random_next(&seed) % THREADS][random_next(&seed) % 1024] ^= 1;
		usleep(100);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	exit(0);
}

/* ---- processes ---- */

static pid_t start(bool prey)
{
	pid_t pid = fork();

	if (pid < 0)
		err(2, "fork");
	if (pid == 0 && !prey)
		process_main();
	if (pid == 0) {
		execl(prey_path, "prey", "run", NULL);
		err(2, "%s", prey_path);
	}
	return pid;
}

static void replace(pid_t *pids, int n, bool prey, unsigned long *deaths)
{
	int status;

	for (int i = 0; i < n; i++) {
		if (pids[i] && waitpid(pids[i], &status, WNOHANG) != pids[i])
			continue;
		*deaths += pids[i] != 0 && WIFSIGNALED(status);
		pids[i] = start(prey);
	}
}

/* Return whether a request is accepted within a minute: prey takes a while to start. */
static bool is_taken(struct thrower *t, int (*throw)(struct thrower *))
{
	for (int tries = 0; tries < 600; tries++) {
		if (throw(t) >= 0)
			return true;
		usleep(100000);
	}
	return false;
}

/* Send each correct request, and print those that are refused. Return whether there are any. */
static int check(void)
{
	static uint8_t buffer[BUFFER_SIZE] __attribute__((aligned(8)));
	struct thrower t;
	int refused = 0;

	thrower_init(&t, buffer);
	t.sound = true;
	for (size_t i = 0; i < KINDS; i++)
		if (!kinds[i].free && !is_taken(&t, kinds[i].throw)) {
			printf("%s: %s\n", kinds[i].name, strerror(errno));
			refused = 1;
		}
	thrower_close(&t);
	return refused;
}

/* Set an empty policy, so that no user but root has rights. */
static void no_policy(void)
{
	dtrace_policy_t policy = {0};
	int fd = device_open(DTRACE_DEVICE, O_RDWR);

	if (ioctl(fd, DTRACEIOC_POLICY, &policy))
		err(2, "policy");
	close(fd);
}

static void torture(void)
{
	pid_t throwers[PROCESSES] = {0};
	uint64_t seed = (uint64_t)getpid() << 1 | 1;

	while (!is_over()) {
		if (random_next(&seed) % 20 == 0)
			kill(shared->prey[random_next(&seed) % PREY], SIGKILL);
		replace(shared->prey, PREY, true, &shared->prey_deaths);
		replace(throwers, PROCESSES, false, &shared->our_deaths);
		usleep(20000);
	}
	for (int i = 0; i < PROCESSES; i++)
		waitpid(throwers[i], NULL, 0);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "run"))
		return prey_main();
	if (argc == 2 && !strcmp(argv[1], "once"))
		return prey_call(argc) == 0;
	if (argc != 3)
		errx(2, "usage: torture-fasttrap SECONDS PREY");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		err(2, "mmap");
	prey_path = argv[2];
	replace(shared->prey, PREY, true, &shared->prey_deaths);
	if (check())
		return 1;
	until = until_begin(argv[1]);
	torture();
	no_policy();
	for (int i = 0; i < PREY; i++) {
		kill(shared->prey[i], SIGKILL);
		waitpid(shared->prey[i], NULL, 0);
	}
	printf("tried %lu, taken %lu; prey killed %lu, ours %lu\n", shared->tried, shared->taken,
	       shared->prey_deaths, shared->our_deaths);
	return shared->our_deaths ? 1 : is_enough() ? 0 : UNTIL_FAILED;
}
