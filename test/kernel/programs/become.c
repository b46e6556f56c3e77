// SPDX-License-Identifier: MIT
/*
 * become.c - carry out the verbs of the command line, then execute the program after `run`.
 *
 *	become uid 1000 run victim fire 1
 *
 *	uid N, gid N		set all three ids; uid drops all capabilities that are not kept
 *	real R E		set the real user id R, the other two to E; drop all capabilities
 *	groups N[,N...]		set the supplementary groups
 *	keep N			keep the capability N across uid and run
 *	endow FILE N		give the capability N to each process that executes FILE
 *	powerless		keep no capability across run, whatever the user
 *	userns			make a user namespace, as root in it
 *	realtime		SCHED_FIFO: other threads get the time that real-time threads leave
 *	pidns			make a pid namespace, with /proc: run is its first process
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static void check(int status, const char *what)
{
	if (status != -1)
		return;
	fprintf(stderr, "become: %s: %s\n", what, strerror(errno));
	exit(3);
}

static void caps_set(unsigned long long caps)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];

	for (int i = 0; i < 2; i++)
		data[i].effective = data[i].permitted = data[i].inheritable =
			(unsigned int)(caps >> 32 * i);
	check((int)syscall(SYS_capset, &head, data), "capset");
}

/* Set the ids and the capabilities to keep. */
static void become_user(uid_t uid, unsigned long long keep)
{
	check(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0), "keepcaps");
	check(setresuid(uid, uid, uid), "setresuid");
	caps_set(keep);
	for (int i = 0; i < 64; i++)
		if (keep >> i & 1)
			check(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, i, 0, 0), "ambient");
}

static void groups_set(char *text)
{
	gid_t groups[8];
	size_t n = 0;

	for (char *word = strtok(text, ","); word && n < 8; word = strtok(NULL, ","))
		groups[n++] = (gid_t)atoi(word);
	check(setgroups(n, groups), "setgroups");
}

static void file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	check(fd, path);
	check((int)write(fd, text, strlen(text)), path);
	close(fd);
}

static void become_namespace_root(void)
{
	char uid[32], gid[32];

	snprintf(uid, sizeof(uid), "0 %u 1\n", geteuid());
	snprintf(gid, sizeof(gid), "0 %u 1\n", getegid());
	check(unshare(CLONE_NEWUSER), "unshare");
	file_write("/proc/self/setgroups", "deny");
	file_write("/proc/self/uid_map", uid);
	file_write("/proc/self/gid_map", gid);
}

static void become_realtime(void)
{
	const struct sched_param first = {.sched_priority = 1};

	check(sched_setscheduler(0, SCHED_FIFO, &first), "sched_setscheduler");
}

static void become_first(void)
{
	int status;
	pid_t child;

	check(unshare(CLONE_NEWPID | CLONE_NEWNS), "unshare");
	child = fork();
	check(child, "fork");
	if (child == 0) {
		check(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL), "/");
		check(mount("proc", "/proc", "proc", 0, NULL), "/proc");
		return;
	}
	check(waitpid(child, &status, 0), "waitpid");
	exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

static void become_bare(void)
{
	for (int i = 0; prctl(PR_CAPBSET_READ, i, 0, 0, 0) >= 0; i++)
		check(prctl(PR_CAPBSET_DROP, i, 0, 0, 0), "bounding set");
	caps_set(0);
}

static void become_real(uid_t real, uid_t others)
{
	check(setresuid(real, others, others), "setresuid");
	caps_set(0);
}

static void file_endow(const char *path, int capability)
{
	struct vfs_cap_data data = {.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE};

	data.data[capability / 32].permitted = 1U << capability % 32;
	check(setxattr(path, "security.capability", &data, sizeof(data), 0), path);
}

static void become_group(gid_t gid)
{
	check(setresgid(gid, gid, gid), "setresgid");
}

int main(int argc, char *argv[])
{
	unsigned long long keep = 0;

	for (char **word = argv + 1; word < argv + argc - 1; word++) {
		if (strcmp(*word, "run") == 0) {
			execvp(word[1], word + 1);
			check(-1, word[1]);
		} else if (strcmp(*word, "uid") == 0) {
			become_user((uid_t)atoi(*++word), keep);
		} else if (strcmp(*word, "gid") == 0) {
			become_group((gid_t)atoi(*++word));
		} else if (strcmp(*word, "real") == 0) {
			become_real((uid_t)atoi(word[1]), (uid_t)atoi(word[2]));
			word += 2;
		} else if (strcmp(*word, "endow") == 0) {
			file_endow(word[1], atoi(word[2]));
			word += 2;
		} else if (strcmp(*word, "groups") == 0) {
			groups_set(*++word);
		} else if (strcmp(*word, "keep") == 0) {
			keep |= 1ULL << atoi(*++word);
		} else if (strcmp(*word, "powerless") == 0) {
			become_bare();
		} else if (strcmp(*word, "userns") == 0) {
			become_namespace_root();
		} else if (strcmp(*word, "realtime") == 0) {
			become_realtime();
		} else if (strcmp(*word, "pidns") == 0) {
			become_first();
		} else {
			fprintf(stderr, "become: no such verb: %s\n", *word);
			return 3;
		}
	}
	fprintf(stderr, "become: nothing to run\n");
	return 3;
}
