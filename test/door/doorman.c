/* SPDX-License-Identifier: MIT */
/*
 * doorman.c - a consumer that carries out commands, a line of standard input each, and prints a
 * line with the result of each. Numbers are in C's notation, results below 0 are negative errno.
 *
 *	open				make a door: "open", or the error and the reason
 *	close
 *	accept [MS]			wait for a visitor: "pid PID uid UID instance INSTANCE",
 *					then for each item "+NUMBER:SIZE:DOF:MODULE" or "-NUMBER";
 *					or "none" after MS
 *	map ADDR PROT FLAGS HEX		map a page that begins with these bytes
 *	unmap ADDR SIZE
 *	write ADDR HEX
 *	call FUNCTION ARG0 ARG1		the result of the function, or the error
 *	memory ADDR SIZE		bytes of the process by the descriptor of its memory, in hex
 *	store ADDR HEX			write by that descriptor
 *	exited MS			wait for the end of the process: "exited", or "none" after
 *					MS
 *	end				let the visitor go
 *	refuse ERRNO			let it go, and say why
 *	fds				number of open descriptors
 */
#include <errno.h>
#include <dirent.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "userland/door.h"
#include "now.h"
#include "userland/door_remote.h"

#define WORDS 8

static struct dt_door *door;
static struct dt_visitor *visitor;

static uint64_t number(const char *word)
{
	return word ? strtoull(word, NULL, 0) : 0;
}

/* Convert hexadecimal text to bytes in place. Return their number. */
static size_t unhex(char *text)
{
	size_t n = 0;

	for (; text && text[2 * n] && text[2 * n + 1]; n++) {
		char digits[3] = {text[2 * n], text[2 * n + 1]};

		text[n] = (char)strtoul(digits, NULL, 16);
	}
	return n;
}

static void print_visitor(void)
{
	printf("pid %d uid %u instance %#" PRIx64, visitor->pid, visitor->uid, visitor->instance);
	for (size_t i = 0; i < visitor->nitems; i++) {
		const struct dt_visitor_item *item = &visitor->items[i];

		if (item->dof)
			printf(" +%d:%zu:%#" PRIx64 ":%s", item->number, item->size,
			       item->helper.dofhp_dof, item->helper.dofhp_mod);
		else
			printf(" -%d", item->number);
	}
	printf("\n");
}

/* Wait until a descriptor is readable. ms: -1, without end. */
static int readable(int fd, int64_t until)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	int64_t rest = until < 0 ? -1 : (until - (int64_t)dt_now()) / DT_DOOR_MS;

	return (until < 0 || rest >= 0) && poll(&pfd, 1, (int)rest) == 1;
}

static int64_t until(const char *ms)
{
	return ms ? (int64_t)dt_now() + (int64_t)number(ms) * DT_DOOR_MS : -1;
}

static void do_accept(const char *ms)
{
	int64_t end = until(ms);

	visitor = dt_door_accept(door);
	while (!visitor && readable(dt_door_fd(door), end))
		visitor = dt_door_accept(door);
	if (visitor)
		print_visitor();
	else
		printf("none\n");
}

static int64_t do_map(char *const *word)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE), n = unhex(word[4]);
	int fd = memfd_create("doorman", MFD_CLOEXEC);
	int64_t result = -EIO;

	if (fd != -1 && !ftruncate(fd, (off_t)size) && pwrite(fd, word[4], n, 0) == (ssize_t)n)
		result = visitor->remote->ops->map(visitor->remote, number(word[1]), size,
						   (int)number(word[2]), (int)number(word[3]), fd,
						   0);
	close(fd);
	return result;
}

static void do_memory(char *const *word)
{
	int fd = visitor->remote->ops->memory(visitor->remote);
	unsigned char bytes[256];
	size_t size = number(word[2]);
	ssize_t n = -1;

	if (fd >= 0) {
		n = pread(fd, bytes, size < sizeof(bytes) ? size : sizeof(bytes),
			  (off_t)number(word[1]));
		close(fd);
	}
	if (n < 0)
		printf("%d", fd < 0 ? fd : -errno);
	for (ssize_t i = 0; i < n; i++)
		printf("%02x", bytes[i]);
	printf("\n");
}

static int do_store(char *const *word)
{
	size_t n = unhex(word[2]);
	int fd = visitor->remote->ops->memory(visitor->remote);
	int result = fd;

	if (fd >= 0) {
		result = pwrite(fd, word[2], n, (off_t)number(word[1])) == (ssize_t)n ? 0 : -errno;
		close(fd);
	}
	return result;
}

static void do_call(char *const *word)
{
	int64_t result;
	int error = visitor->remote->ops->call(visitor->remote, number(word[1]), number(word[2]),
					       number(word[3]), &result);

	printf("%" PRId64 "\n", error ? error : result);
}

static void do_open(void)
{
	char why[256] = "";
	int error = dt_door_open(&door, why, sizeof(why));

	if (error)
		printf("%d %s\n", error, why);
	else
		printf("open\n");
}

static int count_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

static void carry_out(char *const *word)
{
	const char *what = word[0] ? word[0] : "";

	if (!strcmp(what, "open")) {
		do_open();
	} else if (!strcmp(what, "fds")) {
		printf("%d\n", count_fds());
	} else if (!strcmp(what, "close")) {
		dt_door_close(door);
		printf("closed\n");
	} else if (!strcmp(what, "accept")) {
		do_accept(word[1]);
	} else if (!visitor) {
		printf("no visitor\n");
	} else if (!strcmp(what, "map")) {
		printf("%" PRId64 "\n", do_map(word));
	} else if (!strcmp(what, "unmap")) {
		printf("%d\n", visitor->remote->ops->unmap(visitor->remote, number(word[1]),
							   number(word[2])));
	} else if (!strcmp(what, "write")) {
		size_t n = unhex(word[2]);

		printf("%d\n",
		       visitor->remote->ops->write(visitor->remote, number(word[1]), word[2], n));
	} else if (!strcmp(what, "call")) {
		do_call(word);
	} else if (!strcmp(what, "memory")) {
		do_memory(word);
	} else if (!strcmp(what, "store")) {
		printf("%d\n", do_store(word));
	} else if (!strcmp(what, "exited")) {
		printf("%s\n", visitor->pidfd != -1 && readable(visitor->pidfd, until(word[1]))
				       ? "exited"
				       : "none");
	} else if (!strcmp(what, "end")) {
		visitor->remote->ops->end(visitor->remote);
		visitor->remote = NULL;
		dt_visitor_free(visitor, 0);
		visitor = NULL;
		printf("ended\n");
	} else if (!strcmp(what, "refuse")) {
		dt_visitor_free(visitor, (int)number(word[1]));
		visitor = NULL;
		printf("refused\n");
	} else {
		printf("no command %s\n", what);
	}
}

int main(void)
{
	char *line = NULL;
	size_t capacity = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	while (getline(&line, &capacity, stdin) > 0) {
		char *word[WORDS] = {NULL}, *rest = line;

		for (int i = 0; i < WORDS - 1; i++)
			word[i] = strtok_r(rest, " \n", &rest);
		carry_out(word);
	}
	free(line);
	return 0;
}
