/* SPDX-License-Identifier: MIT */
/*
 * policy.c - dtrace-policy: reads the file that lists the users with the right to trace, besides
 * root, and loads it into the module. If a line is wrong, nothing is loaded.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <libgen.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <dtrace/ioctl.h>

#define POLICY_FILE   "/etc/dtrace/policy"
#define POLICY_DEVICE "/dev/dtrace/dtrace"

static const char *file = POLICY_FILE;
static unsigned int line;
static dtrace_policy_entry_t entries[DTRACE_POLICY_MAX];
static unsigned int nentries;

static void fail(const char *what, const char *name, const char *hint) __attribute__((noreturn));

/* End with a message about the current line, or with line 0 about the file. */
static void fail(const char *what, const char *name, const char *hint)
{
	fprintf(stderr, "dtrace-policy: %s", file);
	if (line != 0)
		fprintf(stderr, ":%u", line);
	fprintf(stderr, ": %s%s%s: %s\n", what, name[0] != '\0' ? " " : "", name, hint);
	exit(1);
}

/* ---- the lines ---- */

static const struct {
	const char *name;
	uint32_t right;
} rights[] = {
	{"dtrace_proc", DTRACE_PRIV_PROC},     {"priv_proc", DTRACE_PRIV_PROC},
	{"dtrace_user", DTRACE_PRIV_USER},     {"priv_user", DTRACE_PRIV_USER},
	{"dtrace_kernel", DTRACE_PRIV_KERNEL}, {"priv_kernel", DTRACE_PRIV_KERNEL},
	{"proc_owner", DTRACE_PRIV_OWNER},     {"priv_owner", DTRACE_PRIV_OWNER},
};

static uint32_t right_of(const char *word)
{
	for (size_t i = 0; i < sizeof(rights) / sizeof(rights[0]); i++)
		if (strcmp(word, rights[i].name) == 0)
			return rights[i].right;
	fail("no such right:", word,
	     "there are dtrace_proc, dtrace_user, dtrace_kernel and proc_owner");
}

/*
 * Convert a user or group number. UINT32_MAX means "no user" and is refused. False: not a number.
 */
static bool number_of(const char *word, uint32_t *number)
{
	char *end;
	unsigned long value;

	if (word[strspn(word, "0123456789")] != '\0')
		return false;
	errno = 0;
	value = strtoul(word, &end, 10);
	if (errno != 0 || value >= UINT32_MAX)
		fail("no such number:", word, "it must be below 4294967295");
	*number = (uint32_t)value;
	return true;
}

static uint32_t user_of(const char *word)
{
	const struct passwd *pw;
	uint32_t number;

	if (number_of(word, &number))
		return number;
	pw = getpwnam(word);
	if (!pw)
		fail("no such user:", word, "give one that exists, or a number");
	return pw->pw_uid;
}

static uint32_t group_of(const char *word)
{
	const struct group *gr;
	uint32_t number;

	if (number_of(word, &number))
		return number;
	gr = getgrnam(word);
	if (!gr)
		fail("no such group:", word, "give one that exists, or a number");
	return gr->gr_gid;
}

static const char *word_next(const char *what)
{
	const char *word = strtok(NULL, " \t\n");

	if (!word)
		fail("nothing follows", what,
		     "a line is `user NAME RIGHT...', `group NAME RIGHT...' or `all RIGHT...'");
	return word;
}

static void subject_read(dtrace_policy_entry_t *entry, const char *word)
{
	if (strcmp(word, "user") == 0 || strcmp(word, "uid") == 0) {
		entry->dtpe_who = DTRACE_POLICY_UID;
		entry->dtpe_id = user_of(word_next(word));
	} else if (strcmp(word, "group") == 0 || strcmp(word, "gid") == 0) {
		entry->dtpe_who = DTRACE_POLICY_GID;
		entry->dtpe_id = group_of(word_next(word));
	} else if (strcmp(word, "all") != 0) {
		fail("what is", word, "a line begins with user, group or all");
	}
}

static void line_read(char *text)
{
	dtrace_policy_entry_t entry = {.dtpe_who = DTRACE_POLICY_ALL};
	const char *word;

	text[strcspn(text, "#")] = '\0';
	word = strtok(text, " \t\n");
	if (!word)
		return;
	if (nentries == DTRACE_POLICY_MAX)
		fail("too many lines", "", "use groups");
	subject_read(&entry, word);
	word = word_next("who it is");
	do
		entry.dtpe_rights |= right_of(word);
	while ((word = strtok(NULL, " \t\n")));
	entries[nentries++] = entry;
}

/* ---- the file ---- */

/* Check that only root can change the file or its folder: the policy grants rights. */
static void trust(const struct stat *st, const char *name)
{
	if (st->st_uid != 0)
		fail("not root's:", name, "chown root it");
	if (st->st_mode & (S_IWGRP | S_IWOTH) && !(S_ISDIR(st->st_mode) && st->st_mode & S_ISVTX))
		fail("others than root can write", name, "chmod go-w it");
}

static FILE *file_open(void)
{
	char *copy = strdup(file);
	struct stat st, folder;
	FILE *in = fopen(file, "re");

	if (!in && errno == ENOENT && strcmp(file, POLICY_FILE) == 0)
		return NULL;
	if (!in || !copy || fstat(fileno(in), &st) != 0 || stat(dirname(copy), &folder) != 0)
		fail("cannot be read:", strerror(errno), "give a file that root can read");
	if (!S_ISREG(st.st_mode))
		fail("not a file", "", "give a file");
	trust(&st, "the file");
	trust(&folder, "its folder");
	free(copy);
	return in;
}

static void file_read(void)
{
	FILE *in = file_open();
	char *text = NULL;
	size_t capacity = 0;

	if (!in)
		return; /* the policy is empty: only root may trace */
	while (getline(&text, &capacity, in) != -1) {
		line++;
		line_read(text);
	}
	line = 0;
	if (ferror(in))
		fail("cannot be read:", strerror(errno), "give a file that root can read");
	free(text);
	fclose(in);
}

/* ---- the module ---- */

static void policy_load(void)
{
	dtrace_policy_t policy = {.dtpo_entries = (uintptr_t)entries, .dtpo_n = nentries};
	int fd = open(POLICY_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd == -1 || ioctl(fd, DTRACEIOC_POLICY, &policy) != 0) {
		fprintf(stderr, "dtrace-policy: %s: %s: %s\n", POLICY_DEVICE, strerror(errno),
			fd == -1 && errno != EACCES ? "load the module with `modprobe dtrace'"
						    : "only root can load a policy");
		exit(1);
	}
	close(fd);
}

static void usage(void) __attribute__((noreturn));
static void usage(void)
{
	fprintf(stderr, "usage: dtrace-policy [-n] [FILE]\n"
			"-n: only see whether FILE (" POLICY_FILE ") can be loaded\n");
	exit(2);
}

int main(int argc, char *argv[])
{
	bool only_check = false;

	for (int c; (c = getopt(argc, argv, "n")) != -1;) {
		if (c != 'n')
			usage();
		only_check = true;
	}
	if (argc - optind > 1)
		usage();
	if (optind < argc)
		file = argv[optind];
	file_read();
	if (!only_check)
		policy_load();
	return 0;
}
