/* SPDX-License-Identifier: MIT */
/*
 * door_remote.c - work in a program that has come to the door, by the requests of <dtrace/join.h>.
 * The time for all replies of a program is limited.
 */
#include "door_remote.h"
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>
#include <linux/magic.h>
#include "../now.h"
#include "../process/procfs.h"
#include "door.h"

struct door_remote {
	struct dt_remote remote;
	int fd;
	int64_t patience; /* ns that are left for replies */
	int64_t excused;  /* ns by which patience may still grow */
	int64_t waits;	  /* processor_waits() when it last grew */
	int error;	  /* negative: the conversation has ended */
};

static struct door_remote *door_of(struct dt_remote *remote)
{
	return (struct door_remote *)remote;
}

/* End the conversation. Return the error, negative. */
static int remote_fail(struct door_remote *d, int error)
{
	d->error = error == -EPIPE || error == -ECONNRESET ? -ESRCH : error;
	return d->error;
}

/*
 * Return for how many ns the program's main thread and this thread have waited for a processor
 * since they started. Times that the kernel does not report count as 0. The format of schedstat is
 * from the kernel's Documentation/scheduler/sched-stats.rst.
 */
static int64_t processor_waits(const struct door_remote *d)
{
	int64_t program = 0, own = 0;
	char text[96];

	if (dt_proc_read(text, sizeof(text), "/proc/%d/schedstat", d->remote.pid))
		sscanf(text, "%*d %" SCNd64, &program);
	if (dt_proc_read(text, sizeof(text), "/proc/thread-self/schedstat"))
		sscanf(text, "%*d %" SCNd64, &own);
	return program + own;
}

/*
 * Extend patience by the time that either side has waited for a processor. Return whether it was
 * extended.
 */
static bool remote_excuse(struct door_remote *d)
{
	const int64_t waits = processor_waits(d), since = waits - d->waits;
	const int64_t more = since < d->excused ? since : d->excused;

	if (more < DT_DOOR_MS)
		return false;
	d->patience += more;
	d->excused -= more;
	d->waits = waits;
	return true;
}

/* Wait until the socket is ready for events. Return 0 or a negative errno. */
static int remote_wait(struct door_remote *d, short events)
{
	struct pollfd pfd = {.fd = d->fd, .events = events};
	const uint64_t began = dt_now();
	int64_t rest;
	int n;

	do {
		rest = d->patience - (int64_t)(dt_now() - began);
		n = rest > 0 ? poll(&pfd, 1, (int)(rest / DT_DOOR_MS) + 1) : 0;
	} while ((n == -1 && errno == EINTR) || (n == 0 && remote_excuse(d)));
	if (n == -1)
		return -errno;
	d->patience -= (int64_t)(dt_now() - began);
	return n ? 0 : -ETIMEDOUT;
}

/* Send n bytes, with a descriptor or -1. Return 0 or a negative errno. */
static int remote_send(struct door_remote *d, const void *bytes, size_t n, int fd)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {.header = {.cmsg_len = CMSG_LEN(sizeof(fd)),
				.cmsg_level = SOL_SOCKET,
				.cmsg_type = SCM_RIGHTS}};
	int error = 0;

	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	while (n && !error) {
		struct iovec iov = {(void *)bytes, n};
		struct msghdr m = {
			.msg_iov = &iov,
			.msg_iovlen = 1,
			.msg_control = fd == -1 ? NULL : &control,
			.msg_controllen = fd == -1 ? 0 : sizeof(control),
		};
		ssize_t sent = sendmsg(d->fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent >= 0) {
			bytes = (const char *)bytes + sent;
			n -= (size_t)sent;
			fd = -1;
		} else if (errno == EAGAIN) {
			error = remote_wait(d, POLLOUT);
		} else if (errno != EINTR) {
			error = -errno;
		}
	}
	return error;
}

/* Take the first received descriptor, and close the others. */
static void take_passed(struct msghdr *m, int *passed)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t at = CMSG_LEN(0); at + sizeof(int) <= c->cmsg_len; at += sizeof(int)) {
			int fd;

			memcpy(&fd, (char *)c + at, sizeof(fd));
			if (*passed == -1)
				*passed = fd;
			else
				close(fd);
		}
	}
}

/*
 * Receive a reply. Return 0 or a negative errno. Set *passed to the received descriptor or -1. If
 * passed is NULL, the kernel drops descriptors.
 */
static int remote_receive(struct door_remote *d, struct dtrace_join_reply *reply, int *passed)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	size_t have = 0;
	int error = 0;

	while (have < sizeof(*reply) && !error) {
		struct iovec iov = {(char *)reply + have, sizeof(*reply) - have};
		struct msghdr m = {
			.msg_iov = &iov,
			.msg_iovlen = 1,
			.msg_control = passed ? &control : NULL,
			.msg_controllen = passed ? sizeof(control) : 0,
		};
		ssize_t n = recvmsg(d->fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

		if (n > 0) {
			have += (size_t)n;
			if (passed)
				take_passed(&m, passed);
		} else if (n == 0) {
			error = -ESRCH;
		} else if (errno == EAGAIN) {
			error = remote_wait(d, POLLIN);
		} else if (errno != EINTR) {
			error = -errno;
		}
	}
	return error;
}

/*
 * Send a request with its bytes and a descriptor (-1: none), and receive the reply. Return 0 and
 * set *result, or return a negative errno. passed: see remote_receive().
 */
static int exchange(struct dt_remote *remote, const struct dtrace_join_request *request,
		    const void *bytes, int fd, int64_t *result, int *passed)
{
	struct door_remote *d = door_of(remote);
	struct dtrace_join_reply reply;
	int error = d->error;

	if (error)
		return error;
	error = remote_send(d, request, sizeof(*request), fd);
	if (!error)
		error = remote_send(d, bytes, request->size, -1);
	if (!error)
		error = remote_receive(d, &reply, passed);
	if (error)
		return remote_fail(d, error);
	*result = reply.result;
	return 0;
}

/* Return 0, or the negative errno of a request whose only good result is 0. */
static int status_of(int error, int64_t result)
{
	if (error || !result)
		return error;
	return result < 0 && result >= -4095 ? (int)result : -EPROTO;
}

static int64_t door_map(struct dt_remote *remote, uint64_t addr, uint64_t size, int prot, int flags,
			int fd, uint64_t offset)
{
	const struct dtrace_join_request request = {
		.type = DTRACE_JOIN_MAP,
		.arg = {addr, size, (uint64_t)prot, (uint64_t)flags, offset},
	};
	int64_t result;
	int error = exchange(remote, &request, NULL, fd, &result, NULL);

	/* The kernel drops a descriptor for which the process has no free number. */
	if (!error && result == -EBADF && fd != -1)
		error = -EMFILE;
	return error ? error : result;
}

static int door_unmap(struct dt_remote *remote, uint64_t addr, uint64_t size)
{
	const struct dtrace_join_request request = {
		.type = DTRACE_JOIN_UNMAP,
		.arg = {addr, size},
	};
	int64_t result = 0;
	int error = exchange(remote, &request, NULL, -1, &result, NULL);

	return status_of(error, result);
}

static int door_write(struct dt_remote *remote, uint64_t addr, const void *bytes, size_t n)
{
	int error = 0;

	while (n && !error) {
		size_t part = n < DTRACE_JOIN_MAXWRITE ? n : DTRACE_JOIN_MAXWRITE;
		const struct dtrace_join_request request = {
			.type = DTRACE_JOIN_WRITE,
			.size = (uint32_t)part,
			.arg = {addr},
		};
		int64_t result = 0;

		error = exchange(remote, &request, bytes, -1, &result, NULL);
		error = status_of(error, result);
		bytes = (const char *)bytes + part;
		addr += part;
		n -= part;
	}
	return error;
}

static int door_call(struct dt_remote *remote, uint64_t function, uint64_t arg0, uint64_t arg1,
		     int64_t *result)
{
	const struct dtrace_join_request request = {
		.type = DTRACE_JOIN_CALL,
		.arg = {function, arg0, arg1},
	};

	return exchange(remote, &request, NULL, -1, result, NULL);
}

/* Return whether the last part of an open file's path is mem. */
static bool has_name_of_memory(int fd)
{
	char link[32], path[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path));
	return n >= 4 && memcmp(path + n - 4, "/mem", 4) == 0;
}

/*
 * Return whether a descriptor from a program is the memory of a process. Operations on other files
 * may block, or write to a file to which the program has no access.
 */
static bool is_memory(int fd)
{
	struct statfs fs;
	struct stat st;

	return !fstatfs(fd, &fs) && fs.f_type == PROC_SUPER_MAGIC && !fstat(fd, &st) &&
	       S_ISREG(st.st_mode) && has_name_of_memory(fd);
}

static int door_memory(struct dt_remote *remote)
{
	const struct dtrace_join_request request = {.type = DTRACE_JOIN_MEM};
	int64_t result = 0;
	int fd = -1, error = exchange(remote, &request, NULL, -1, &result, &fd);

	error = status_of(error, result);
	if (!error && (fd == -1 || !is_memory(fd)))
		error = -EPROTO;
	if (!error)
		return fd;
	if (fd != -1)
		close(fd);
	return error;
}

/* A WRITE of no bytes only makes the program reply. */
int dt_door_remote_keepalive(struct dt_remote *remote)
{
	const struct dtrace_join_request request = {.type = DTRACE_JOIN_WRITE};
	const int64_t patience = door_of(remote)->patience;
	int64_t result = 0;
	int error = exchange(remote, &request, NULL, -1, &result, NULL);

	if (!error)
		door_of(remote)->patience = patience;
	return error;
}

bool dt_door_remote_left(struct dt_remote *remote)
{
	struct pollfd pfd = {.fd = door_of(remote)->fd};

	return poll(&pfd, 1, 0) == 1 && pfd.revents & POLLHUP;
}

void dt_door_done(int fd, int error)
{
	const struct dtrace_join_request done = {
		.type = DTRACE_JOIN_DONE,
		.arg = {(uint64_t)error},
	};

	(void)!send(fd, &done, sizeof(done), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void dt_door_remote_end(struct dt_remote *remote, int error)
{
	struct door_remote *d = door_of(remote);

	if (!d->error)
		dt_door_done(d->fd, error);
	close(d->fd);
	free(d);
}

static void door_end(struct dt_remote *remote)
{
	dt_door_remote_end(remote, 0);
}

struct dt_remote *dt_door_remote(int fd, pid_t pid)
{
	static const struct dt_remote_ops ops = {
		.map = door_map,
		.unmap = door_unmap,
		.write = door_write,
		.call = door_call,
		.memory = door_memory,
		.end = door_end,
	};
	struct door_remote *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->remote = (struct dt_remote){.ops = &ops, .pid = pid};
	d->fd = fd;
	d->patience = DT_DOOR_PATIENCE * DT_DOOR_MS;
	d->excused = DT_DOOR_BUSY * DT_DOOR_MS;
	d->waits = processor_waits(d);
	return &d->remote;
}
