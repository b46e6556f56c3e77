// SPDX-License-Identifier: MIT
/*
 * torture_helper.c - send damaged DOF, noise and bad addresses to the helper device, from many
 * threads.
 *
 *	torture-helper SECONDS HELPER
 *
 * HELPER is a file of DOF with a ustack helper.
 *
 * First it registers each form of valid DOF, which must succeed. Then it forks processes of several
 * threads each, which register damaged DOF. Meanwhile another thread changes the bytes that the
 * kernel reads. A process that dies, because a damaged site was enabled in the middle of its code,
 * is replaced. The program prints its counts. Its status is 1 if valid DOF was refused, and
 * UNTIL_FAILED if too little damaged DOF was accepted.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <dtrace/helper.h>

#include "../lib/random.h"
#include "dof_sample.h"
#include "until.h"

#define PROCESSES	3
#define THREADS		4
#define SITES		8
#define BUFFER_SIZE	8192
#define HELPER_CAPACITY 65536

struct tally {
	unsigned long tried, taken, deaths;
};

/* Code for probes: SITES NOPs of 8 bytes. */
void torture_sites(void);
extern const char torture_site[];
__asm__(".text\n.globl torture_sites\ntorture_sites:\n.globl torture_site\ntorture_site:\n"
	".rept 8\n.byte 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x90\n.endr\nret\n");

/* In a section of its own, so that it is in memory mapped from this program's file. */
static volatile uint16_t semaphore __attribute__((section(".probes")));
/*
 * Helpers are in memory mapped from this program's file, so that they run for return addresses in
 * its functions.
 */
static uint8_t helper_buffers[THREADS][HELPER_CAPACITY] __attribute__((aligned(8))) = {{1}};
static uint8_t helper_dof[HELPER_CAPACITY];
static size_t helper_size;
static struct tally *tally; /* shared by all processes */
static struct until until;

static bool is_enough(void)
{
	return tally->tried > 100 && tally->taken > 10;
}

static bool is_over(void)
{
	return until_over(&until, is_enough());
}

static void *shared(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		perror("torture-helper: mmap");
		exit(2);
	}
	return p;
}

static int helper_open(void)
{
	int fd = open(DTRACE_HELPER_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0) {
		perror("torture-helper: " DTRACE_HELPER_DEVICE);
		exit(2);
	}
	return fd;
}

/* Register the valid DOF of a form. Return the number of the registration or -1. */
static int add_valid(int fd, int form)
{
	static uint64_t buffer[BUFFER_SIZE / 8];
	dof_helper_t helper = {.dofhp_mod = "torture",
			       .dofhp_addr = (uintptr_t)torture_site,
			       .dofhp_dof = (uintptr_t)buffer};
	size_t size;
	void *dof = dof_sample_helper(form, (uintptr_t)torture_site, SITES, (uintptr_t)&semaphore,
				      (uintptr_t)buffer, &size);

	memcpy(buffer, dof, size);
	free(dof);
	return ioctl(fd, DTRACEHIOC_ADDDOF, &helper);
}

static int check_valid(void)
{
	int fd = helper_open(), bad = 0;

	for (int form = 0; form < DOF_SAMPLE_FORMS; form++) {
		int gen = add_valid(fd, form);

		torture_sites();
		if (gen < 0 || ioctl(fd, DTRACEHIOC_REMOVE, gen)) {
			printf("form %d: %s: %s\n", form, gen < 0 ? "refused" : "not removed",
			       strerror(errno));
			bad = 1;
		}
	}
	close(fd);
	return bad;
}

/* ---- ustack helpers ---- */

static void helper_read(const char *path)
{
	FILE *f = fopen(path, "r");

	if (f) {
		helper_size = fread(helper_dof, 1, sizeof(helper_dof), f);
		fclose(f);
	}
	if (!helper_size) {
		perror(path);
		exit(2);
	}
}

/* The trampoline of the toy interpreter. The helper reads the stack beside its return address. */
long script_call(const char **function, long (*next)(const char **function));

static const char *const names[] = {"leaf", "fault", "zero", "kernel", "lines", "work"};
#define NAMES (sizeof(names) / sizeof(names[0]))

static clock_t spun = CLOCKS_PER_SEC / 500; /* for how long a stack can be sampled */

static long spin(const char **name)
{
	clock_t end = clock() + spun;

	while (clock() < end)
		;
	return **name;
}

/* Register the valid helper, and spin so that a session that samples this program runs it. */
static int check_helper(void)
{
	dof_helper_t helper = {.dofhp_dof = (uintptr_t)helper_buffers[0]};
	int fd = helper_open(), gen;

	memcpy(helper_buffers[0], helper_dof, helper_size);
	gen = ioctl(fd, DTRACEHIOC_ADDDOF, &helper);
	spun = CLOCKS_PER_SEC / 5;
	for (size_t i = 0; i < NAMES; i++) {
		const char *name = names[i];

		script_call(&name, spin);
	}
	spun = CLOCKS_PER_SEC / 500;
	if (gen < 0 || ioctl(fd, DTRACEHIOC_REMOVE, gen))
		printf("the helper is refused: %s\n", strerror(errno));
	close(fd);
	return gen < 0;
}

static void attempt_helper(int fd, unsigned int n, uint64_t *seed)
{
	const char *name = names[random_next(seed) % NAMES];
	uint8_t *buffer = helper_buffers[n];
	dof_helper_t helper = {.dofhp_dof = (uintptr_t)buffer,
			       .dofhp_addr = random_next(seed) & 1 ? 0 : (uintptr_t)buffer};
	int gen;

	memcpy(buffer, helper_dof, helper_size);
	if (random_next(seed) % 3)
		dof_sample_mutate(buffer, helper_size, seed);
	gen = ioctl(fd, DTRACEHIOC_ADDDOF, &helper);
	__atomic_add_fetch(&tally->tried, 1, __ATOMIC_RELAXED);
	if (gen < 0)
		return;
	__atomic_add_fetch(&tally->taken, 1, __ATOMIC_RELAXED);
	script_call(&name, spin);
	if (random_next(seed) % 16)
		ioctl(fd, DTRACEHIOC_REMOVE, gen);
}

/* ---- one attempt ---- */

static uint64_t odd_address(uint64_t *seed, void *buffer)
{
	static const uint64_t odd[] = {0,
				       8,
				       0xfff,
				       0x7fffffffeff8,
				       0x7ffffffff000,
				       0xffff800000000000,
				       0xffffffff81000000,
				       0xfffffffffffffff0};
	uint64_t choice = random_next(seed) % 10;

	return choice < 8 ? odd[choice] : (uintptr_t)buffer + BUFFER_SIZE - random_next(seed) % 128;
}

/* Make the ioctl's argument: mostly damaged DOF, sometimes noise, sometimes a bad address. */
static void fill_buffer(dof_helper_t *helper, uint8_t *buffer, uint64_t *seed)
{
	size_t size;
	uint8_t *dof =
		dof_sample_helper(random_next(seed) % DOF_SAMPLE_FORMS, (uintptr_t)torture_site,
				  SITES, (uintptr_t)&semaphore, (uintptr_t)buffer, &size);
	uint64_t kind = random_next(seed) % 16;

	if (kind > 0)
		dof_sample_mutate(dof, size, seed);
	if (kind == 1)
		for (size_t i = 4; i < size; i++)
			dof[i] = random_next(seed);
	memcpy(buffer, dof, size);
	if (kind == 2)
		helper->dofhp_dof = odd_address(seed, buffer);
	if (kind == 3)
		helper->dofhp_addr = odd_address(seed, buffer);
	if (kind == 4)
		for (size_t i = 0; i < sizeof(helper->dofhp_mod); i++)
			helper->dofhp_mod[i] = random_next(seed);
	free(dof);
}

static int register_buffer(int fd, dof_helper_t *helper, uint8_t *buffer, uint64_t *seed)
{
	switch (random_next(seed) % 8) {
	case 0:
		return ioctl(fd, DTRACEHIOC_ADD, buffer);
	case 1:
		return ioctl(fd, DTRACEHIOC_LINUX_ADD, buffer);
	case 2:
		return ioctl(fd, DTRACEHIOC_LINUX_ADDDOF, helper);
	case 3:
		return ioctl(fd, DTRACEHIOC_ADDDOF, odd_address(seed, buffer));
	case 4:
		ioctl(fd, random_next(seed), helper);
		return -1;
	default:
		return ioctl(fd, DTRACEHIOC_ADDDOF, helper);
	}
}

static void attempt(int fd, uint8_t *buffer, uint64_t *seed)
{
	dof_helper_t helper = {.dofhp_addr = (uintptr_t)torture_site,
			       .dofhp_dof = (uintptr_t)buffer};
	int gen;

	fill_buffer(&helper, buffer, seed);
	gen = register_buffer(fd, &helper, buffer, seed);
	__atomic_add_fetch(&tally->tried, 1, __ATOMIC_RELAXED);
	if (gen < 0)
		return;
	__atomic_add_fetch(&tally->taken, 1, __ATOMIC_RELAXED);
	torture_sites();
	if (random_next(seed) % 16) /* a few stay until the process ends */
		ioctl(fd, random_next(seed) & 1 ? DTRACEHIOC_REMOVE : DTRACEHIOC_LINUX_REMOVE, gen);
	if (random_next(seed) % 4 == 0)
		ioctl(fd, DTRACEHIOC_REMOVE, (int)random_next(seed));
}

/* ---- processes ---- */

static uint8_t *buffers[THREADS];

static uint64_t fresh_seed(unsigned int n)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return ((uint64_t)now.tv_nsec << 20 ^ (uint64_t)getpid() << 8 ^ n) | 1;
}

static void *thread_main(void *data)
{
	unsigned int n = (uintptr_t)data;
	uint64_t seed = fresh_seed(n);
	int fd = helper_open();

	while (!is_over()) {
		if (random_next(&seed) % 4)
			attempt(fd, buffers[n], &seed);
		else
			attempt_helper(fd, n, &seed);
	}
	close(fd);
	return NULL;
}

/* Change bytes while the kernel reads them. */
static void *scribble(void *data)
{
	uint64_t seed = fresh_seed(THREADS);

	(void)data;
	while (!is_over()) {
		uint8_t *buffer = buffers[random_next(&seed) % THREADS];

		buffer[random_next(&seed) % 1024] = random_next(&seed);
		buffer = helper_buffers[random_next(&seed) % THREADS];
		buffer[random_next(&seed) % helper_size] ^= 1;
		usleep(100);
	}
	return NULL;
}

static void process_main(void)
{
	pthread_t threads[THREADS], scribbler;

	alarm(20); /* end soon, so that the registrations of the process are removed */
	for (uintptr_t i = 0; i < THREADS; i++)
		buffers[i] = shared(BUFFER_SIZE);
	pthread_create(&scribbler, NULL, scribble, NULL);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, thread_main, (void *)i);
	while (!is_over()) { /* children inherit registrations */
		pid_t pid = fork();

		if (pid == 0) {
			torture_sites();
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		usleep(50000);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_join(scribbler, NULL);
	exit(0);
}

static void start_process(void)
{
	pid_t pid = fork();

	if (pid == 0)
		process_main();
	if (pid < 0)
		perror("torture-helper: fork");
}

int main(int argc, char **argv)
{
	int status;

	tally = shared(sizeof(*tally));
	if (argc != 3) {
		fprintf(stderr, "usage: torture-helper SECONDS HELPER\n");
		return 2;
	}
	helper_read(argv[2]);
	if (check_valid() || check_helper())
		return 1;
	until = until_begin(argv[1]);
	for (int i = 0; i < PROCESSES; i++)
		start_process();
	while (wait(&status) > 0) {
		tally->deaths += WIFSIGNALED(status);
		if (!is_over())
			start_process();
	}
	printf("tried %lu, taken %lu, processes replaced after a signal %lu\n", tally->tried,
	       tally->taken, tally->deaths);
	return is_enough() ? 0 : UNTIL_FAILED;
}
