/* SPDX-License-Identifier: MIT */
/*
 * peer.c - decides which consumers a program lets in. Such a consumer can do all that a debugger
 * could, so these are the rules of ptrace: ids, capabilities, dumpable, and those of Yama.
 */
#include "peer.h"

#if defined __x86_64__ && defined __LP64__

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "say.h"

#define POLICY	     "/etc/dtrace/policy"
#define YAMA	     "/proc/sys/kernel/yama/ptrace_scope"
#define NOBODY	     65534 /* what ids without a name in a user namespace are shown as */
#define GROUPS	     128   /* of a consumer: more are not looked at */
#define ANCESTORS    4096
#define SCOPE_CHILD  1 /* of ptrace_scope: descendants may be traced */
#define SCOPE_NOBODY 3

bool peer_any(void)
{
	return !getauxval(AT_SECURE) && prctl(PR_GET_DUMPABLE) == 1;
}

/* ---- files ---- */

/* Read the beginning of a file as a string. Return false if there is nothing to read. */
static bool read_file(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n > 0)
		buf[n] = '\0';
	return n > 0;
}

/* Return the next word of a text, and advance the text. The word is empty at the end. */
static char *next_word(char **text)
{
	char *word = *text + strspn(*text, " \t");
	size_t len = strcspn(word, " \t");

	*text = word + len + (word[len] != '\0');
	word[len] = '\0';
	return word;
}

/* Convert a number. Return false if the word is none. */
static bool read_number(const char *word, uint32_t *number)
{
	uint64_t value = 0;

	if (!*word)
		return false;
	for (; *word >= '0' && *word <= '9' && value <= UINT32_MAX; word++)
		value = value * 10 + (*word - '0');
	*number = value;
	return !*word && value <= UINT32_MAX;
}

typedef bool line_f(char *line, const void *ctx);

/*
 * Call match for each line of a file that only root can write, until it returns true. Return
 * whether it did. Lines that do not fit into memory are left out.
 */
static bool any_line(const char *path, line_f *match, const void *ctx)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char buf[1024], *end;
	bool found = false, whole = true;
	size_t used = 0;
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid || st.st_mode & (S_IWGRP | S_IWOTH))
		goto out;
	while (!found && (n = read(fd, buf + used, sizeof buf - used)) > 0) {
		used += n;
		while (!found && (end = memchr(buf, '\n', used))) {
			*end = '\0';
			found = whole && match(buf, ctx);
			whole = true;
			used -= end + 1 - buf;
			memmove(buf, end + 1, used);
		}
		if (used == sizeof buf) {
			whole = false;
			used = 0;
		}
	}
	if (!found && !n && whole && used) { /* the last line has no newline */
		buf[used] = '\0';
		found = match(buf, ctx);
	}
out:
	close(fd);
	return found;
}

/* ---- Yama ---- */

/*
 * Return kernel.yama.ptrace_scope: 0 if this kernel has none, and SCOPE_NOBODY if it cannot be
 * known.
 */
static uint32_t ptrace_scope(void)
{
	char text[16];
	uint32_t scope;

	if (read_file(YAMA, text, sizeof text)) {
		text[strcspn(text, "\n")] = '\0';
		return read_number(text, &scope) ? scope : SCOPE_NOBODY;
	}
	return access("/proc/sys/kernel", X_OK) || !access(YAMA, F_OK) ? SCOPE_NOBODY : 0;
}

/* Return the parent of the process whose file this is, or 0. */
static uint32_t parent_in(const char *path)
{
	char text[256], *at;
	uint32_t parent;

	if (!read_file(path, text, sizeof text) || !(at = strrchr(text, ')')))
		return 0;
	at++;
	next_word(&at); /* the state */
	return read_number(next_word(&at), &parent) ? parent : 0;
}

static bool is_ancestor(uint32_t pid)
{
	uint32_t parent = parent_in("/proc/self/stat");

	for (int i = 0; parent > 1 && i < ANCESTORS; i++) {
		char path[40] = "/proc/";

		if (parent == pid)
			return true;
		drti_decimal(path + strlen(path), parent);
		strcat(path, "/stat");
		parent = parent_in(path);
	}
	return parent == pid;
}

/* ---- the policy ---- */

/* A consumer's user and groups. */
struct user {
	uint32_t uid;
	gid_t groups[GROUPS];
	socklen_t ngroups;
};

/* A name of /etc/passwd or /etc/group, and the number that it is to have. */
struct named {
	const char *name;
	uint32_t id;
};

/* Match NAME:PASSWORD:ID... */
static bool match_named(char *line, const void *ctx)
{
	const struct named *named = ctx;
	size_t len = strlen(named->name);
	uint32_t id;
	char *at;

	if (strncmp(line, named->name, len) || line[len] != ':')
		return false;
	at = strchr(line + len + 1, ':');
	if (!at)
		return false;
	at[1 + strcspn(at + 1, ":")] = '\0';
	return read_number(at + 1, &id) && id == named->id;
}

/* Return whether a word, a name or a number, means an id. file has the names. */
static bool is_id(const char *word, const char *file, uint32_t id)
{
	const struct named named = {word, id};
	uint32_t number;

	return read_number(word, &number) ? number == id : any_line(file, match_named, &named);
}

/* Return whether the beginning of a line means the user. */
static bool is_subject(const char *kind, char **line, const struct user *user)
{
	const char *word;

	if (!strcmp(kind, "all"))
		return true;
	word = next_word(line);
	if (!strcmp(kind, "user") || !strcmp(kind, "uid"))
		return is_id(word, "/etc/passwd", user->uid);
	if (!strcmp(kind, "group") || !strcmp(kind, "gid"))
		for (socklen_t i = 0; i < user->ngroups; i++)
			if (is_id(word, "/etc/group", user->groups[i]))
				return true;
	return false;
}

/* Match a line that gives the user dtrace_proc, or dtrace_kernel, which includes it. */
static bool match_policy(char *line, const void *ctx)
{
	const char *right;

	line[strcspn(line, "#")] = '\0';
	if (!is_subject(next_word(&line), &line, ctx))
		return false;
	while (*(right = next_word(&line)))
		if (!strcmp(right, "dtrace_proc") || !strcmp(right, "priv_proc") ||
		    !strcmp(right, "dtrace_kernel") || !strcmp(right, "priv_kernel"))
			return true;
	return false;
}

static bool is_in_policy(int fd, const struct ucred *peer)
{
	struct user user = {.uid = peer->uid};
	socklen_t size = sizeof user.groups - sizeof(gid_t);

	if (!getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, user.groups, &size))
		user.ngroups = size / sizeof(gid_t);
	user.groups[user.ngroups++] = peer->gid;
	return any_line(POLICY, match_policy, &user);
}

/* ---- the rules ---- */

/*
 * Return whether equal ids mean equal users. In a user namespace that does not map all ids, the
 * rest is shown as one.
 */
static bool is_certain(uint32_t id)
{
	char text[64], *at = text;
	uint32_t word;

	if (id != NOBODY)
		return true;
	return read_file("/proc/self/uid_map", text, sizeof text) &&
	       read_number(next_word(&at), &word) && !word && read_number(next_word(&at), &word) &&
	       !word && !strncmp(at + strspn(at, " "), "4294967295\n", 11);
}

static bool capabilities(pid_t pid, struct __user_cap_data_struct caps[2])
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, pid};

	return !syscall(SYS_capget, &header, caps);
}

/* Return whether this process has no capability that the peer has not. */
static bool has_no_more(pid_t pid)
{
	struct __user_cap_data_struct own[2], peer[2];

	return capabilities(0, own) && capabilities(pid, peer) &&
	       !(own[0].permitted & ~peer[0].effective) && !(own[1].permitted & ~peer[1].effective);
}

/* Return why a consumer may not trace this process, or NULL. */
static const char *reject_reason(int fd, const struct ucred *peer)
{
	uint32_t scope;

	if (peer->uid && (peer->uid != geteuid() || peer->gid != getegid() ||
			  !is_certain(peer->uid) || !is_certain(peer->gid)))
		return "it is another user's";
	if (!peer->pid || !has_no_more(peer->pid))
		return "this program has more capabilities";
	scope = peer->uid ? ptrace_scope() : 0;
	if (scope && (scope > SCOPE_CHILD || !is_ancestor(peer->pid)) && !is_in_policy(fd, peer))
		return "of kernel.yama.ptrace_scope";
	return NULL;
}

bool peer_may(int fd, struct ucred *peer)
{
	socklen_t size = sizeof *peer;
	const char *why;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, peer, &size) || peer->pid == getpid())
		return false;
	why = reject_reason(fd, peer);
	if (why)
		drti_say("joins no session, because ", why, ", process ", peer->pid);
	return !why;
}

#endif
