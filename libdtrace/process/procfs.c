/* SPDX-License-Identifier: MIT */
/* procfs.c - reads facts about processes from /proc. */
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <linux/magic.h>
#include <unistd.h>
#include "procfs.h"

/* The first PID namespace has a fixed inode number, PROC_PID_INIT_INO of the kernel. */
#define FIRST_PID_NS 0xeffffffcu

size_t dt_proc_read(char *text, size_t size, const char *format, ...)
{
	char path[64];
	ssize_t n = -1;
	va_list ap;
	int fd;

	va_start(ap, format);
	vsnprintf(path, sizeof(path), format, ap);
	va_end(ap);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd != -1) {
		n = read(fd, text, size - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

/* ---- threads and processes ---- */

DIR *dt_proc_list(pid_t pid)
{
	char path[32] = "/proc";

	if (pid)
		snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	return opendir(path);
}

pid_t dt_proc_next(DIR *list)
{
	const struct dirent *entry;
	pid_t number = 0;

	while (list && !number && (entry = readdir(list)))
		number = (pid_t)atoi(entry->d_name);
	return number;
}

void dt_proc_end(DIR *list)
{
	if (list)
		closedir(list);
}

/* ---- files ---- */

/*
 * Return a thread of a process that has memory, or 0. A thread that has ended has none, nor has a
 * thread of the kernel.
 */
static pid_t thread_with_memory(pid_t pid)
{
	DIR *threads = dt_proc_list(pid);
	char pages[128];
	pid_t tid;

	while ((tid = dt_proc_next(threads))) {
		dt_proc_read(pages, sizeof(pages), "/proc/%d/statm", (int)tid);
		if (atol(pages) > 0)
			break;
	}
	dt_proc_end(threads);
	return tid;
}

/* Without memory, some files are missing, others are empty, and all belong to root. */
int dt_proc_open(pid_t pid, int flags, const char *format, ...)
{
	char name[PATH_MAX], path[PATH_MAX + 32], byte;
	int fd, error;
	va_list ap;
	pid_t tid;

	va_start(ap, format);
	vsnprintf(name, sizeof(name), format, ap);
	va_end(ap);
	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, flags | O_CLOEXEC);
	if (fd != -1 && pread(fd, &byte, 1, 0) != 0)
		return fd;
	error = errno;
	tid = thread_with_memory(pid);
	if (tid && tid != pid) {
		if (fd != -1)
			close(fd);
		snprintf(path, sizeof(path), "/proc/%d/%s", (int)tid, name);
		return open(path, flags | O_CLOEXEC);
	}
	errno = error;
	return fd;
}

/* ---- facts ---- */

/*
 * The second field may contain spaces and parentheses, so the search begins at the last
 * parenthesis.
 */
uint64_t dt_proc_stat(pid_t pid, int field)
{
	char line[1024], *at;

	dt_proc_read(line, sizeof(line), "/proc/%d/stat", (int)pid);
	at = strrchr(line, ')');
	for (int i = 2; at && i < field; i++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at, NULL, 10) : 0;
}

int dt_proc_owner(pid_t pid, uid_t *uid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (stat(path, &st) == -1)
		return errno == ENOENT ? -ESRCH : -errno;
	*uid = st.st_uid;
	return 0;
}

bool dt_proc_hides(pid_t pid)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd == -1)
		return errno == EACCES || errno == EPERM;
	close(fd);
	return false;
}

uint32_t dt_proc_namespace(pid_t pid)
{
	char path[48] = "/proc/self/ns/pid";
	struct stat st;

	if (pid)
		snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)pid);
	return stat(path, &st) == 0 && st.st_ino != FIRST_PID_NS ? (uint32_t)st.st_ino : 0;
}

bool dt_proc_is_filtered(void)
{
	return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == SECCOMP_MODE_FILTER;
}

bool dt_proc_is_foreign(void)
{
	char self[16] = "";
	struct statfs fs;

	if (readlink("/proc/self", self, sizeof(self) - 1) > 0)
		return atoi(self) != getpid();
	return statfs("/proc", &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}
