/* SPDX-License-Identifier: MIT */
/*
 * join.c - the program's side of <dtrace/join.h>: finds the doors of sessions, tells them of
 * registrations, and carries out what they ask for. Like registrar.c it needs neither malloc nor
 * stdio.
 *
 * All system calls that wait do so for a limited time: the socket has time limits, and a
 * conversation ends at a fixed time.
 */
#include "join.h"

#if defined __x86_64__ && defined __LP64__

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "peer.h"
#include "say.h"

#define NAME_MAXLEN 32 /* of a door: PID.N */

/* ---- the directories ---- */

/*
 * Add a directory if it exists, and only its owner may write to it, whose uid must be the given
 * one. Return whether the name belongs to another user.
 */
static bool add_directory(struct join *j, uid_t owner)
{
	const char *path = j->paths[j->ndirs];
	struct stat st;
	int fd;

	/* Of calls that find nothing, this one costs less than open(). */
	if (lstat(path, &st))
		return errno != ENOENT;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno != ENOENT;
	if (fstat(fd, &st) || st.st_uid != owner || st.st_mode & (S_IWGRP | S_IWOTH)) {
		drti_say("others may write to ", path, ", owner ", st.st_uid);
		close(fd);
		return true;
	}
	j->dirs[j->ndirs++] = fd;
	return false;
}

static void find_directories(struct join *j)
{
	uid_t uid = geteuid();
	char *path;

	strcpy(j->paths[0], DTRACE_JOIN_ROOTDIR);
	add_directory(j, 0);
	path = strcpy(j->paths[j->ndirs], DTRACE_JOIN_USERDIR);
	drti_decimal(path + strlen(path), uid);
	if (!add_directory(j, uid) || !uid)
		return;
	strcpy(path, DTRACE_JOIN_LOGINDIR);
	drti_decimal(path + strlen(path), uid);
	strcat(path, "/dtrace");
	add_directory(j, uid);
}

static void close_directories(struct join *j)
{
	while (j->ndirs)
		close(j->dirs[--j->ndirs]);
}

static time_t seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* Look for directories of doors, if this process may join sessions. */
static void look(struct join *j)
{
	find_directories(j);
	if (j->ndirs && !peer_any())
		close_directories(j);
	if (j->ndirs)
		j->end = seconds() + DTRACE_JOIN_TOTAL;
}

void join_open(struct join *j, const void *instance)
{
	j->instance = instance;
	j->nitems = j->ndirs = 0;
	look(j);
}

/* ---- a conversation ---- */

struct talk {
	int fd;
	struct ucred peer;
	time_t end; /* of all conversations */
	int mem;    /* /proc/thread-self/mem, or -1 */
	int passed; /* the descriptor that came with the last request, or -1 */
};

/* Keep one of the descriptors that a request has brought. */
static void keep_passed(struct talk *t, const struct cmsghdr *c)
{
	size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	int fd;

	for (size_t i = 0; i < n; i++) {
		memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
		if (t->passed < 0)
			t->passed = fd;
		else
			close(fd);
	}
}

/* Read what has come with a request. Return whether its sender has opened the door. */
static bool read_control(struct talk *t, struct msghdr *m)
{
	struct ucred sender = {0};

	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		if (c->cmsg_level != SOL_SOCKET)
			continue;
		if (c->cmsg_type == SCM_CREDENTIALS)
			memcpy(&sender, CMSG_DATA(c), sizeof sender);
		else if (c->cmsg_type == SCM_RIGHTS)
			keep_passed(t, c);
	}
	return sender.pid == t->peer.pid;
}

/* Receive n bytes. Return false if the conversation is over. */
static bool talk_receive(struct talk *t, void *buf, size_t n)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(sizeof(int))];
	} control;

	while (n) {
		struct iovec iov = {buf, n};
		struct msghdr m = {
			.msg_iov = &iov,
			.msg_iovlen = 1,
			.msg_control = &control,
			.msg_controllen = sizeof control,
		};
		ssize_t got = recvmsg(t->fd, &m, MSG_CMSG_CLOEXEC);

		if (seconds() > t->end || got == 0 || (got < 0 && errno != EINTR))
			return false;
		if (got > 0 && !read_control(t, &m))
			return false;
		if (got > 0) {
			buf = (char *)buf + got;
			n -= got;
		}
	}
	return true;
}

/* Send n bytes, with a descriptor or -1. Return false if the conversation is over. */
static bool talk_send(struct talk *t, const void *bytes, size_t n, int fd)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {.header = {.cmsg_len = CMSG_LEN(sizeof fd),
				.cmsg_level = SOL_SOCKET,
				.cmsg_type = SCM_RIGHTS}};

	memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
	while (n) {
		struct iovec iov = {(void *)bytes, n};
		struct msghdr m = {
			.msg_iov = &iov,
			.msg_iovlen = 1,
			.msg_control = fd < 0 ? NULL : &control,
			.msg_controllen = fd < 0 ? 0 : sizeof control,
		};
		ssize_t sent = sendmsg(t->fd, &m, MSG_NOSIGNAL);

		if (seconds() > t->end || (sent < 0 && errno != EINTR))
			return false;
		if (sent > 0) {
			bytes = (const char *)bytes + sent;
			n -= sent;
			fd = -1;
		}
	}
	return true;
}

static bool say_item(struct talk *t, const struct join_item *item)
{
	size_t head = item->type == DTRACE_JOIN_DOF ? sizeof item->dof : sizeof item->remove;
	struct dtrace_join_head msg = {item->type, head + item->size};

	return talk_send(t, &msg, sizeof msg, -1) && talk_send(t, &item->dof, head, -1) &&
	       talk_send(t, item->bytes, item->size, -1);
}

/* Say all that the program has to say. */
static bool say_items(struct talk *t, const struct join *j)
{
	struct {
		struct dtrace_join_head msg;
		struct dtrace_join_hello hello;
	} hello = {
		{DTRACE_JOIN_HELLO, sizeof hello.hello},
		{DTRACE_JOIN_VERSION, EM_X86_64, (uintptr_t)j->instance},
	};
	struct dtrace_join_head ready = {DTRACE_JOIN_READY, 0};

	if (!talk_send(t, &hello, sizeof hello, -1))
		return false;
	for (unsigned int i = 0; i < j->nitems; i++)
		if (!say_item(t, &j->items[i]))
			return false;
	return talk_send(t, &ready, sizeof ready, -1);
}

/* ---- requests ---- */

static int64_t open_memory(struct talk *t)
{
	if (t->mem < 0)
		t->mem = open("/proc/thread-self/mem", O_RDWR | O_CLOEXEC);
	return t->mem < 0 ? -errno : 0;
}

/* Take the bytes of a request, and write them if it is WRITE. Return false when it is over. */
static bool take_bytes(struct talk *t, const struct dtrace_join_request *r, int64_t *result)
{
	bool writes = r->type == DTRACE_JOIN_WRITE;
	uint64_t at = r->arg[0];
	char part[512];

	if (writes)
		*result = open_memory(t);
	for (size_t left = r->size, n; left; left -= n, at += n) {
		n = left < sizeof part ? left : sizeof part;
		if (!talk_receive(t, part, n))
			return false;
		if (!writes || *result)
			continue;
		ssize_t written = pwrite(t->mem, part, n, at);

		if (written != (ssize_t)n)
			*result = written < 0 ? -errno : -EFAULT;
	}
	return true;
}

static int64_t carry_out(struct talk *t, const struct dtrace_join_request *r)
{
	int64_t (*function)(uint64_t, uint64_t) = (void *)(uintptr_t)r->arg[0];
	void *at = (void *)(uintptr_t)r->arg[0];

	switch (r->type) {
	case DTRACE_JOIN_MAP:
		at = mmap(at, r->arg[1], r->arg[2], r->arg[3], t->passed, r->arg[4]);
		return at == MAP_FAILED ? -errno : (int64_t)(uintptr_t)at;
	case DTRACE_JOIN_UNMAP:
		return munmap(at, r->arg[1]) ? -errno : 0;
	case DTRACE_JOIN_CALL:
		return function(r->arg[1], r->arg[2]);
	case DTRACE_JOIN_MEM:
		return open_memory(t);
	}
	return -ENOSYS;
}

/* Carry out requests until the consumer is done or the conversation is over. */
static void serve(struct talk *t)
{
	struct dtrace_join_request r;
	struct dtrace_join_reply reply;

	while (talk_receive(t, &r, sizeof r) && r.size <= DTRACE_JOIN_MAXWRITE) {
		int64_t result = 0;

		if (!take_bytes(t, &r, &result))
			break;
		if (r.type == DTRACE_JOIN_DONE) {
			if (r.arg[0])
				drti_say("a session refuses the program", "", ": errno ", r.arg[0]);
			else
				drti_say("joined a session", "", ", process ", t->peer.pid);
			return;
		}
		if (r.type != DTRACE_JOIN_WRITE)
			result = carry_out(t, &r);
		if (t->passed >= 0)
			close(t->passed);
		t->passed = -1;
		reply.result = result;
		if (!talk_send(t, &reply, sizeof reply,
			       r.type == DTRACE_JOIN_MEM && !result ? t->mem : -1))
			break;
	}
	drti_say("a session has hung up, or been silent for too long", "", ", process ",
		 t->peer.pid);
}

/* ---- the doors ---- */

static bool is_door(const char *name)
{
	return strnlen(name, NAME_MAXLEN) < NAME_MAXLEN && *name != '.' &&
	       !name[strspn(name, "0123456789.")];
}

/* Connect with a door, with limited times. Return the socket or -1. */
static int connect_door(const char *directory, const char *name, time_t end)
{
	const struct timeval limit = {.tv_sec = DTRACE_JOIN_SILENCE};
	struct sockaddr_un door = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1, failed;

	if (fd < 0)
		return -1;
	strcpy(door.sun_path, directory);
	strcat(door.sun_path, "/");
	strcat(door.sun_path, name);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
	do
		failed = connect(fd, (struct sockaddr *)&door, sizeof door);
	while (failed && errno == EINTR && seconds() < end);
	/* Later than connect(), which would give the socket a name. */
	if (!failed && !setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof on))
		return fd;
	drti_say("cannot open the door ", door.sun_path, ": errno ", errno);
	close(fd);
	return -1;
}

static void visit(const struct join *j, const char *directory, const char *name)
{
	struct talk t = {
		.fd = connect_door(directory, name, j->end),
		.end = j->end,
		.mem = -1,
		.passed = -1,
	};

	if (t.fd < 0)
		return;
	if (peer_may(t.fd, &t.peer) && say_items(&t, j))
		serve(&t);
	if (t.passed >= 0)
		close(t.passed);
	if (t.mem >= 0)
		close(t.mem);
	/* A child that another thread has forked meanwhile has a copy of the socket. */
	shutdown(t.fd, SHUT_RDWR);
	close(t.fd);
}

struct entry {
	uint64_t ino;
	int64_t off;
	unsigned short reclen;
	unsigned char type;
	char name[];
};

/* Visit all doors in a directory. (readdir() allocates memory.) */
static void visit_all(const struct join *j, unsigned int dir)
{
	uint64_t buf[128];
	long n;

	lseek(j->dirs[dir], 0, SEEK_SET);
	while ((n = syscall(SYS_getdents64, j->dirs[dir], buf, sizeof buf)) > 0)
		for (long at = 0; at < n;) {
			const struct entry *e = (const void *)((char *)buf + at);

			at += e->reclen;
			if (is_door(e->name) && seconds() < j->end)
				visit(j, j->paths[dir], e->name);
		}
}

/* A session that has begun since join_open() may have looked at the process too early. */
static void flush(struct join *j)
{
	if (j->nitems && !j->ndirs)
		look(j);
	for (unsigned int i = 0; i < j->ndirs && j->nitems; i++)
		visit_all(j, i);
	for (; j->nitems; j->nitems--)
		if (j->items[j->nitems - 1].pages)
			munmap(j->items[j->nitems - 1].pages, j->items[j->nitems - 1].size);
}

static struct join_item *new_item(struct join *j)
{
	if (j->nitems == JOIN_ITEMS)
		flush(j);
	return &j->items[j->nitems++];
}

void join_dof(struct join *j, int number, const struct dof_helper *helper, const void *bytes,
	      size_t size, bool ours)
{
	*new_item(j) = (struct join_item){
		.type = DTRACE_JOIN_DOF,
		.dof = {.number = number, .helper = *helper},
		.bytes = bytes,
		.size = size,
		.pages = ours ? (void *)bytes : NULL,
	};
}

void join_remove(struct join *j, int number)
{
	*new_item(j) = (struct join_item){
		.type = DTRACE_JOIN_REMOVE,
		.remove = {.number = number},
	};
}

void join_close(struct join *j)
{
	flush(j);
	close_directories(j);
}

#endif
