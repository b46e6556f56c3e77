/* SPDX-License-Identifier: MIT */
/* tracee.c - a victim under test: started, controlled by commands, and joined. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "process/memory.h"
#include "tracee.h"
#include "userland/memfile.h"

#define CODE 16 /* bytes that are compared, from 4 before the site's pc */

extern const unsigned char hit_code[], hit_counters[], hit_end[];

void fail(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
	_exit(1);
}

void tracee_line(struct tracee *t, char *line, size_t size)
{
	if (!fgets(line, (int)size, t->from))
		fail("process %d has ended", (int)t->pid);
	line[strcspn(line, "\n")] = '\0';
}

/* Take note of a line with a site. Return whether it is one. */
static bool site_note(struct tracee *t, const char *line)
{
	struct tracee_site *site = &t->sites[t->nsites];

	if (sscanf(line, "site %lx %d", &site->pc, &site->kind) != 2)
		return false;
	t->nsites++;
	return true;
}

void tracee_start(struct tracee *t, char *const *arguments)
{
	int to[2], from[2];
	char line[256];

	memset(t, 0, sizeof(*t));
	check(pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0);
	t->pid = fork();
	if (t->pid == 0) {
		dup2(to[0], 0);
		dup2(from[1], 1);
		execv(arguments[0], arguments);
		_exit(127);
	}
	close(to[0]);
	close(from[1]);
	t->to = fdopen(to[1], "w");
	t->from = fdopen(from[0], "r");
	do
		tracee_line(t, line, sizeof(line));
	while (site_note(t, line));
	check(strcmp(line, "ready") == 0);
}

void tracee_tell(struct tracee *t, const char *command)
{
	char line[256];

	fprintf(t->to, "%s\n", command);
	fflush(t->to);
	do
		tracee_line(t, line, sizeof(line));
	while (site_note(t, line));
	if (sscanf(line, "done %lu %lu", &t->passes, &t->wrong) != 2)
		fail("process %d answered %s", (int)t->pid, line);
}

#define COUNTERS (1 << 20) /* bytes */
#define NUMBERS	 (1 << 20)

void tracee_join_again(struct tracee *t)
{
	uint32_t *numbers = (uint32_t *)(uintptr_t)t->counters + COUNTERS / sizeof(uint32_t);
	int fd = dt_memory_open(t->pid, O_RDWR);

	check(fd >= 0);
	memset(numbers, 0, NUMBERS * sizeof(*numbers));
	check(dt_patch_open(t->pid, fd, t->text, numbers, NUMBERS, &t->patches) == 0);
}

void tracee_join(struct tracee *t)
{
	const size_t size = (size_t)(hit_end - hit_code);
	struct dt_remote *remote;
	unsigned char code[256];
	char why[DT_WHYLEN];
	int64_t data, text;
	int fd;

	t->data = dt_memfile("counters", COUNTERS + NUMBERS * sizeof(uint32_t));
	check(t->data >= 0);
	t->counters = mmap(NULL, COUNTERS + NUMBERS * sizeof(uint32_t), PROT_READ | PROT_WRITE,
			   MAP_SHARED, t->data, 0);
	check(t->counters != MAP_FAILED);
	if (dt_inject_begin(t->pid, &remote, why) != 0)
		fail("%s", why);
	data = remote->ops->map(remote, 0, COUNTERS + NUMBERS * sizeof(uint32_t),
				PROT_READ | PROT_WRITE, MAP_SHARED, t->data, 0);
	check(data > 0);
	memcpy(code, hit_code, size);
	memcpy(code + (hit_counters - hit_code), &data, sizeof(data));
	fd = dt_memfile_code("hit", code, size);
	check(fd >= 0);
	text = remote->ops->map(remote, 0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	check(text > 0);
	close(fd);
	remote->ops->end(remote);
	t->text = (uint64_t)text;
	tracee_join_again(t);
}

/* The number of failures, and the last of them. */
struct failures {
	size_t n;
	int error;
	char *why;
};

static void failure(void *arg, uint32_t index, int error, const char *why)
{
	struct failures *failures = arg;

	(void)index;
	failures->n++;
	failures->error = error;
	if (failures->why)
		strcpy(failures->why, why);
}

size_t tracee_prepare(struct tracee *t, size_t from, size_t n, int *error, char *why)
{
	struct failures failures = {.why = why};
	struct dt_patch_site *sites = calloc(n, sizeof(*sites));
	struct dt_remote *remote;
	char reason[DT_WHYLEN];

	for (size_t i = 0; i < n; i++)
		sites[i] = (struct dt_patch_site){
			.pc = t->sites[from + i].pc,
			.index = (uint32_t)(from + i),
			.enabled = t->sites[from + i].kind == KIND_ENABLED,
			.instruction = t->sites[from + i].kind >= KIND_INSTRUCTION};
	if (dt_inject_begin(t->pid, &remote, reason) != 0)
		fail("%s", reason);
	check(dt_patch_prepare(t->patches, remote, sites, n, failure, &failures) == 0);
	remote->ops->end(remote);
	free(sites);
	if (error)
		*error = failures.error;
	return failures.n;
}

size_t tracee_set(struct tracee *t, size_t from, size_t n, bool on)
{
	struct failures failures = {.why = t->why};
	uint32_t indices[4096];

	for (size_t i = 0; i < n; i++)
		indices[i] = (uint32_t)(from + i);
	check(dt_patch_set(t->patches, indices, n, on, false, failure, NULL, &failures) == 0);
	return failures.n;
}

unsigned char *tracee_code(const struct tracee *t)
{
	unsigned char *code = calloc(t->nsites, CODE);

	for (size_t i = 0; i < t->nsites; i++)
		check(dt_memory_read(t->pid, t->sites[i].pc - 4, code + CODE * i, CODE));
	return code;
}

uint64_t tracee_count(struct tracee *t)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->nsites; i++)
		sum += __atomic_exchange_n(&t->counters[i], 0, __ATOMIC_RELAXED);
	return sum;
}

void tracee_quit(struct tracee *t)
{
	int status;

	if (t->wrong)
		fail("%lu of %lu passes were wrong", t->wrong, t->passes);
	fprintf(t->to, "quit\n");
	fflush(t->to);
	check(waitpid(t->pid, &status, 0) == t->pid);
	if (status)
		fail("the victim ended with status 0x%x", (unsigned int)status);
	fclose(t->to);
	fclose(t->from);
}
