/* SPDX-License-Identifier: MIT */
/*
 * door.c - the door of a session: its file, and the programs that come to it.
 *
 * A program is a newcomer until its request READY. The door serves all newcomers at the same time,
 * as their sockets become readable. Each newcomer has DTRACE_JOIN_SILENCE seconds. Then it becomes
 * a visitor, which belongs to the caller.
 */
#include "door.h"
#include "door_remote.h"
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>
#include <dtrace/dof.h>
#include <dtrace/limits.h>
#include "../now.h"

#define DOOR_NEWCOMERS 128		     /* at one time */
#define DOOR_BACKLOG   4096		     /* connections that the kernel queues */
#define DOOR_BYTES     (256UL * 1024 * 1024) /* of all newcomers' DOF */
#define DOOR_USER_BYTES \
	(128UL * 1024 * 1024) /* of the newcomers of one user other than the session's */
/* bytes that are read from a newcomer before the next newcomer's turn */
#define DOOR_TURN    (256 * 1024)
#define DOOR_PAUSE   100 /* ms, when there are no descriptors for newcomers */
#define DOOR_RETRIES 16

/* A program that has not sent READY yet. */
struct newcomer {
	struct newcomer *next; /* the next newer one */
	int fd;
	uint64_t deadline;	      /* as of dt_now() */
	struct dtrace_join_head head; /* of the request that is being received */
	char *body;		      /* of that request; NULL: the head is being read */
	size_t have;		      /* bytes of the head, or of the body */
	size_t bytes;		      /* of all DOF */
	bool hello;
	struct dt_visitor *visitor;
};

struct dt_door {
	int listener, epoll, timer;
	/* without free descriptors, the listener is not polled until the timer expires */
	bool deaf;
	char directory[64];
	char path[sizeof(((struct sockaddr_un *)NULL)->sun_path)]; /* "": the file does not exist */
	struct newcomer *newcomers, **last;			   /* the oldest first */
	unsigned int newcomer_count;
	struct newcomer *ready, **last_ready;
};

void dt_visitor_free(struct dt_visitor *v, int error)
{
	for (size_t i = 0; i < v->nitems; i++)
		free(v->items[i].dof);
	free(v->items);
	if (v->remote)
		dt_door_remote_end(v->remote, error);
	if (v->pidfd != -1)
		close(v->pidfd);
	free(v);
}

/* ---- newcomers ---- */

/* Free a newcomer that is in no list, with its visitor if it has one. */
static void newcomer_free(struct newcomer *nc)
{
	if (nc->fd != -1)
		close(nc->fd);
	if (nc->visitor)
		dt_visitor_free(nc->visitor, 0);
	free(nc->body);
	free(nc);
}

/* Take a newcomer out of the list. */
static void newcomer_unlink(struct dt_door *door, struct newcomer *nc)
{
	struct newcomer **link = &door->newcomers;

	while (*link != nc)
		link = &(*link)->next;
	*link = nc->next;
	if (!*link)
		door->last = link;
	nc->next = NULL;
	door->newcomer_count--;
	epoll_ctl(door->epoll, EPOLL_CTL_DEL, nc->fd, NULL);
}

static void newcomer_drop(struct dt_door *door, struct newcomer *nc)
{
	newcomer_unlink(door, nc);
	newcomer_free(nc);
}

/* Turn a newcomer that has sent READY into a visitor. */
static void newcomer_ready(struct dt_door *door, struct newcomer *nc)
{
	newcomer_unlink(door, nc);
	nc->visitor->remote = dt_door_remote(nc->fd, nc->visitor->pid);
	if (!nc->visitor->remote) {
		newcomer_free(nc);
		return;
	}
	nc->fd = -1;
	*door->last_ready = nc;
	door->last_ready = &nc->next;
}

/* Count the bytes of a DOF. Return false if they exceed a limit. */
static bool newcomer_charge(struct dt_door *door, struct newcomer *nc, size_t bytes)
{
	const uid_t uid = nc->visitor->uid;
	size_t all = 0, user = 0;

	nc->bytes += bytes;
	for (const struct newcomer *other = door->newcomers; other; other = other->next) {
		all += other->bytes;
		user += other->visitor->uid == uid ? other->bytes : 0;
	}
	return nc->bytes <= DTRACE_JOIN_MAXBYTES && all <= DOOR_BYTES &&
	       (uid == geteuid() || user <= DOOR_USER_BYTES);
}

/* Return whether a request of this type and size may come now. */
static bool head_valid(struct dt_door *door, struct newcomer *nc)
{
	const uint32_t size = nc->head.size, dof = sizeof(struct dtrace_join_dof);

	switch (nc->head.type) {
	case DTRACE_JOIN_HELLO:
		return !nc->hello && size >= sizeof(struct dtrace_join_hello) && size <= 4096;
	case DTRACE_JOIN_DOF:
		return nc->hello && size >= dof + sizeof(dof_hdr_t) &&
		       size <= dof + DTRACE_HELPER_MAXSIZE && newcomer_charge(door, nc, size);
	case DTRACE_JOIN_REMOVE:
		return nc->hello && size == sizeof(struct dtrace_join_remove);
	case DTRACE_JOIN_READY:
		return nc->hello && size == 0;
	}
	return false;
}

/* Return a new item of a visitor; NULL without memory, or if there are too many. */
static struct dt_visitor_item *item_add(struct dt_visitor *v)
{
	struct dt_visitor_item *items;

	if (v->nitems == DTRACE_JOIN_MAXITEMS)
		return NULL;
	items = realloc(v->items, (v->nitems + 1) * sizeof(*items));
	if (!items)
		return NULL;
	v->items = items;
	items[v->nitems] = (struct dt_visitor_item){0};
	return &items[v->nitems++];
}

static bool take_hello(struct newcomer *nc)
{
	struct dtrace_join_hello hello;

	memcpy(&hello, nc->body, sizeof(hello));
	nc->hello = true;
	nc->visitor->instance = hello.instance;
	if (hello.version == DTRACE_JOIN_VERSION && hello.machine == EM_X86_64)
		return true;
	dt_door_done(nc->fd, hello.version == DTRACE_JOIN_VERSION ? ENOEXEC : EPROTONOSUPPORT);
	return false;
}

static bool take_dof(struct newcomer *nc)
{
	struct dt_visitor_item *item = item_add(nc->visitor);
	struct dtrace_join_dof head;
	const dof_hdr_t *header;

	if (!item)
		return false;
	memcpy(&head, nc->body, sizeof(head));
	item->number = head.number;
	item->helper = head.helper;
	item->helper.dofhp_mod[sizeof(item->helper.dofhp_mod) - 1] = '\0';
	item->size = nc->head.size - sizeof(head);
	/* The body becomes the DOF, which is aligned as malloc() aligns. */
	memmove(nc->body, nc->body + sizeof(head), item->size);
	item->dof = nc->body;
	nc->body = NULL;
	header = item->dof;
	return head.number >= 0 && header->dofh_loadsz >= sizeof(*header) &&
	       header->dofh_loadsz <= item->size;
}

static bool take_remove(struct newcomer *nc)
{
	struct dt_visitor_item *item = item_add(nc->visitor);
	struct dtrace_join_remove remove;

	if (!item)
		return false;
	memcpy(&remove, nc->body, sizeof(remove));
	item->number = remove.number;
	return remove.number >= 0;
}

/* Handle a complete request. Return false if the newcomer is to be dropped. */
static bool newcomer_take(struct newcomer *nc)
{
	switch (nc->head.type) {
	case DTRACE_JOIN_HELLO:
		return take_hello(nc);
	case DTRACE_JOIN_DOF:
		return take_dof(nc);
	case DTRACE_JOIN_REMOVE:
		return take_remove(nc);
	}
	return true;
}

enum outcome { WAITS, READY, DROPPED };

/* Read from a newcomer's socket, and handle complete requests. */
static enum outcome newcomer_read(struct dt_door *door, struct newcomer *nc)
{
	for (size_t turn = 0; turn < DOOR_TURN;) {
		size_t size = nc->body ? nc->head.size : sizeof(nc->head);
		char *to = nc->body ? nc->body : (char *)&nc->head;
		ssize_t n = recv(nc->fd, to + nc->have, size - nc->have, MSG_DONTWAIT);

		if (n == -1 && errno == EINTR)
			continue;
		if (n <= 0)
			return n == -1 && errno == EAGAIN ? WAITS : DROPPED;
		turn += (size_t)n;
		nc->have += (size_t)n;
		if (nc->have < size)
			continue;
		nc->have = 0;
		if (!nc->body) {
			if (!head_valid(door, nc))
				return DROPPED;
			if (nc->head.type == DTRACE_JOIN_READY)
				return READY;
			nc->body = malloc(nc->head.size);
			if (!nc->body)
				return DROPPED;
			continue;
		}
		if (!newcomer_take(nc))
			return DROPPED;
		free(nc->body);
		nc->body = NULL;
	}
	return WAITS;
}

/* ---- connections ---- */

/* Drop the oldest newcomer of the user with the most newcomers. */
static void newcomers_evict(struct dt_door *door)
{
	struct newcomer *drop = NULL;
	unsigned int most = 0;

	for (struct newcomer *nc = door->newcomers; nc; nc = nc->next) {
		unsigned int n = 0;

		for (const struct newcomer *h = nc; h; h = h->next)
			n += h->visitor->uid == nc->visitor->uid;
		if (n > most) {
			most = n;
			drop = nc;
		}
	}
	if (drop)
		newcomer_drop(door, drop);
}

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

/* Return a pidfd of the process at the other end, or -1. Before Linux 6.5 it may have ended. */
static int pidfd_of(int fd, pid_t pid)
{
	socklen_t size = sizeof(int);
	int pidfd;

	if (!getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &size))
		return pidfd;
	return errno == ENOPROTOOPT ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
}

/*
 * Make a newcomer for a connection. It owns the socket. Return NULL without memory, or if the
 * program's user may not use this door.
 */
static struct newcomer *newcomer_new(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	struct newcomer *nc;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) || peer.pid <= 0 ||
	    peer.pid == getpid())
		return NULL;
	if (geteuid() && (peer.uid != geteuid() || peer.gid != getegid()))
		return NULL;
	nc = calloc(1, sizeof(*nc));
	if (!nc)
		return NULL;
	nc->visitor = calloc(1, sizeof(*nc->visitor));
	if (!nc->visitor) {
		free(nc);
		return NULL;
	}
	nc->fd = fd;
	nc->deadline = dt_now() + DTRACE_JOIN_SILENCE * 1000 * DT_DOOR_MS;
	*nc->visitor = (struct dt_visitor){
		.pid = peer.pid,
		.uid = peer.uid,
		.gid = peer.gid,
		.pidfd = pidfd_of(fd, peer.pid),
	};
	return nc;
}

/* Stop polling the listener, or poll it again. */
static void set_deaf(struct dt_door *door, bool deaf)
{
	struct epoll_event event = {.events = deaf ? 0 : EPOLLIN, .data.ptr = door};

	epoll_ctl(door->epoll, EPOLL_CTL_MOD, door->listener, &event);
	door->deaf = deaf;
}

static void newcomer_link(struct dt_door *door, struct newcomer *nc)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = nc};

	if (door->newcomer_count == DOOR_NEWCOMERS)
		newcomers_evict(door);
	*door->last = nc;
	door->last = &nc->next;
	door->newcomer_count++;
	if (epoll_ctl(door->epoll, EPOLL_CTL_ADD, nc->fd, &event))
		newcomer_drop(door, nc);
}

/* Accept one connection. */
static void let_in(struct dt_door *door)
{
	int fd = accept4(door->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct newcomer *nc;

	if (fd == -1) {
		if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
			set_deaf(door, true);
		return;
	}
	nc = newcomer_new(fd);
	if (nc)
		newcomer_link(door, nc);
	else
		close(fd);
}

/* Set the timer to the next deadline. */
static void set_timer(struct dt_door *door)
{
	uint64_t at = door->newcomers ? door->newcomers->deadline : 0;
	struct itimerspec spec = {0};

	if (door->deaf)
		at = dt_now() + DOOR_PAUSE * DT_DOOR_MS;
	spec.it_value.tv_sec = (time_t)(at / 1000000000);
	spec.it_value.tv_nsec = (long)(at % 1000000000);
	timerfd_settime(door->timer, TFD_TIMER_ABSTIME, &spec, NULL);
}

static void drop_late(struct dt_door *door)
{
	while (door->newcomers && door->newcomers->deadline <= dt_now())
		newcomer_drop(door, door->newcomers);
}

/* Handle one event. Return false if there is none. */
static bool door_work(struct dt_door *door)
{
	struct epoll_event event;

	/* One event at a time: handling it may free another newcomer. */
	if (epoll_wait(door->epoll, &event, 1, 0) != 1)
		return false;
	if (event.data.ptr == door) {
		let_in(door);
	} else if (event.data.ptr == &door->timer) {
		drop_late(door);
		if (door->deaf)
			set_deaf(door, false);
	} else {
		struct newcomer *nc = event.data.ptr;

		switch (newcomer_read(door, nc)) {
		case WAITS:
			break;
		case READY:
			newcomer_ready(door, nc);
			break;
		case DROPPED:
			newcomer_drop(door, nc);
			break;
		}
	}
	set_timer(door);
	return true;
}

struct dt_visitor *dt_door_accept(struct dt_door *door)
{
	struct dt_visitor *visitor;
	struct newcomer *nc;

	for (unsigned int i = 0; !door->ready && i < 2 * DOOR_NEWCOMERS; i++)
		if (!door_work(door))
			return NULL;
	nc = door->ready;
	if (!nc)
		return NULL;
	door->ready = nc->next;
	if (!door->ready)
		door->last_ready = &door->ready;
	visitor = nc->visitor;
	nc->visitor = NULL;
	newcomer_free(nc);
	return visitor;
}

int dt_door_fd(const struct dt_door *door)
{
	return door->epoll;
}

/* ---- the file ---- */

/* Write a reason of at most size bytes. Return the negative errno. */
__attribute__((format(printf, 4, 5))) static int fail(int error, char *why, size_t size,
						      const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, size, format, ap);
	va_end(ap);
	return -error;
}

/*
 * Make a directory of the caller's user, or open it if it exists. Return a descriptor, or a
 * negative errno: -EEXIST if another user owns the directory.
 */
static int directory_make(const char *path, mode_t mode, char *why, size_t size)
{
	struct stat st;
	int fd;

	if (mkdir(path, mode) && errno != EEXIST)
		return fail(errno, why, size, "cannot make %s: %s", path, strerror(errno));
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd == -1 && errno == ENOENT)
		return -ENOENT; /* another session has just removed it */
	if (fd == -1 || fstat(fd, &st) || st.st_uid != geteuid()) {
		if (fd != -1)
			close(fd);
		if (lstat(path, &st))
			st.st_uid = (uid_t)-1;
		return fail(EEXIST, why, size,
			    "%s is not a directory of this user, but uid %u has made it: "
			    "have root remove it",
			    path, st.st_uid);
	}
	if (!fchmod(fd, mode))
		return fd;
	close(fd);
	return fail(errno, why, size, "cannot set the mode of %s: %s", path, strerror(errno));
}

/* Return whether no process listens at a door. */
static bool is_dead(const char *path)
{
	struct sockaddr_un door = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool dead;

	if (fd == -1)
		return false;
	strcpy(door.sun_path, path);
	dead = connect(fd, (struct sockaddr *)&door, sizeof(door)) && errno == ECONNREFUSED;
	close(fd);
	return dead;
}

/*
 * Remove the doors of killed consumers. While a consumer prepares its socket, the file's name
 * begins with a dot and has the consumer's PID.
 */
static void directory_clean(const char *directory, int fd)
{
	DIR *d = fdopendir(dup(fd));
	const struct dirent *e;

	while (d && (e = readdir(d))) {
		bool begun = e->d_name[0] == '.';
		char path[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
		int pid = atoi(e->d_name + begun);

		if (pid <= 0 || snprintf(path, sizeof(path), "%s/%s", directory, e->d_name) >=
					(int)sizeof(path))
			continue;
		if (begun ? kill(pid, 0) && errno == ESRCH : is_dead(path))
			unlinkat(fd, e->d_name, 0);
	}
	if (d)
		closedir(d);
}

/*
 * Make the socket in the directory. It listens before it gets its final name. Return 0 or a
 * negative errno; -ENOENT: the directory has been removed.
 */
static int listener_make(struct dt_door *door, int directory, char *why, size_t size)
{
	static atomic_uint doors;
	unsigned int n = atomic_fetch_add(&doors, 1);
	struct sockaddr_un new = {.sun_family = AF_UNIX};
	char path[sizeof(door->path)];

	snprintf(new.sun_path, sizeof(new.sun_path), "%s/.%d.%u", door->directory, getpid(), n);
	snprintf(path, sizeof(path), "%s/%d.%u", door->directory, getpid(), n);
	unlinkat(directory, strrchr(new.sun_path, '/') + 1, 0);
	door->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (door->listener != -1 && !bind(door->listener, (struct sockaddr *)&new, sizeof(new)) &&
	    !chmod(new.sun_path, geteuid() ? 0600 : 0666) &&
	    !listen(door->listener, DOOR_BACKLOG) && !rename(new.sun_path, path)) {
		strcpy(door->path, path);
		return 0;
	}
	return fail(errno, why, size, "cannot make %s: %s", path, strerror(errno));
}

/*
 * Make the file of the door in a directory. Return 0 or a negative errno, as directory_make() does.
 */
static int file_make(struct dt_door *door, mode_t mode, char *why, size_t size)
{
	int error = -ENOENT;

	/* Another session may remove the directory while there is no file in it. */
	for (int i = 0; error == -ENOENT && i < DOOR_RETRIES; i++) {
		int fd = directory_make(door->directory, mode, why, size);

		error = fd < 0 ? fd : 0;
		if (error)
			continue;
		directory_clean(door->directory, fd);
		error = listener_make(door, fd, why, size);
		close(fd);
		if (error && door->listener != -1) {
			close(door->listener);
			door->listener = -1;
		}
	}
	return error;
}

/*
 * Make the file of the door in the first directory that can be used, of those that programs of this
 * user search.
 */
static int file_find(struct dt_door *door, char *why, size_t size)
{
	unsigned int uid = geteuid();
	struct stat st;
	char login[sizeof(door->directory)];
	int error;

	if (!uid) {
		strcpy(door->directory, DTRACE_JOIN_ROOTDIR);
		error = file_make(door, 0755, why, size);
		/*
		 * Root of a namespace may have no right to write there, and gets the directory of a
		 * user.
		 */
		if (error != -EACCES && error != -EPERM && error != -EROFS)
			return error;
	}
	snprintf(door->directory, sizeof(door->directory), "%s%u", DTRACE_JOIN_USERDIR, uid);
	error = file_make(door, 0700, why, size);
	snprintf(login, sizeof(login), "%s%u", DTRACE_JOIN_LOGINDIR, uid);
	if (error != -EEXIST || stat(login, &st))
		return error;
	snprintf(door->directory, sizeof(door->directory), "%s%u/dtrace", DTRACE_JOIN_LOGINDIR,
		 uid);
	return file_make(door, 0700, why, size);
}

/* ---- open and close ---- */

static int door_listen(struct dt_door *door, char *why, size_t size)
{
	struct epoll_event listener = {.events = EPOLLIN, .data.ptr = door};
	struct epoll_event timer = {.events = EPOLLIN, .data.ptr = &door->timer};

	door->epoll = epoll_create1(EPOLL_CLOEXEC);
	door->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (door->epoll == -1 || door->timer == -1 ||
	    epoll_ctl(door->epoll, EPOLL_CTL_ADD, door->listener, &listener) ||
	    epoll_ctl(door->epoll, EPOLL_CTL_ADD, door->timer, &timer))
		return fail(errno, why, size, "cannot poll %s: %s", door->path, strerror(errno));
	return 0;
}

int dt_door_open(struct dt_door **out, char *why, size_t size)
{
	struct dt_door *door = calloc(1, sizeof(*door));
	int error;

	if (!door)
		return fail(ENOMEM, why, size, "no memory");
	door->listener = door->epoll = door->timer = -1;
	door->last = &door->newcomers;
	door->last_ready = &door->ready;
	error = file_find(door, why, size);
	if (!error)
		error = door_listen(door, why, size);
	if (error)
		dt_door_close(door);
	else
		*out = door;
	return error;
}

static void newcomers_free(struct newcomer *nc)
{
	while (nc) {
		struct newcomer *next = nc->next;

		newcomer_free(nc);
		nc = next;
	}
}

void dt_door_close(struct dt_door *door)
{
	if (*door->path) {
		unlink(door->path);
		rmdir(door->directory);
	}
	newcomers_free(door->newcomers);
	newcomers_free(door->ready);
	for (int i = 0; i < 3; i++) {
		int fd = (int[]){door->listener, door->epoll, door->timer}[i];

		if (fd != -1)
			close(fd);
	}
	free(door);
}
