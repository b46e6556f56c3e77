/* SPDX-License-Identifier: MIT */
/*
 * drti_join.c - in which directories a program looks for the doors of sessions, whose owners and
 * modes the test chooses, and how many changes it remembers.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "join.h"
#include "peer.h"

#define UID	1000
#define ROOTDIR "/run/dtrace"
#define USERDIR "/dev/shm/dtrace-1000"
#define LOGDIR	"/run/user/1000/dtrace"

static struct {
	uid_t euid;
	bool any; /* the program may be joined */
	struct {
		const char *path;
		uid_t owner;
		mode_t mode;
		int error; /* of lstat(), ELOOP: of open(); 0: the directory exists */
	} dirs[3];
	int opened; /* the directory that was opened last */
} world;

bool peer_any(void)
{
	return world.any;
}

bool peer_may(int fd, struct ucred *peer)
{
	(void)fd, (void)peer;
	return false;
}

uid_t __wrap_geteuid(void);
uid_t __wrap_geteuid(void)
{
	return world.euid;
}

int __wrap_lstat(const char *path, struct stat *st);
int __wrap_lstat(const char *path, struct stat *st)
{
	(void)st;
	for (int i = 0; i < 3; i++)
		if (world.dirs[i].path && strcmp(world.dirs[i].path, path) == 0) {
			errno = world.dirs[i].error;
			return errno && errno != ELOOP ? -1 : 0;
		}
	errno = ENOENT;
	return -1;
}

/* What is in the directories does not matter. */
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	assert_int_equal(flags, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	for (int i = 0; i < 3; i++)
		if (world.dirs[i].path && strcmp(world.dirs[i].path, path) == 0) {
			world.opened = i;
			errno = world.dirs[i].error;
			return errno ? -1 : __real_open("/proc/self/fdinfo", flags);
		}
	errno = ENOENT;
	return -1;
}

int __wrap_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st)
{
	(void)fd;
	st->st_mode = S_IFDIR | world.dirs[world.opened].mode;
	st->st_uid = world.dirs[world.opened].owner;
	return 0;
}

static int setup(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	world.euid = UID;
	world.any = true;
	return 0;
}

static void exists(int i, const char *path, uid_t owner, mode_t mode)
{
	world.dirs[i].path = path;
	world.dirs[i].owner = owner;
	world.dirs[i].mode = mode;
}

/* Check where the program looks; NULL: nowhere. */
static void check_looks(const char *first, const char *second)
{
	struct join j;

	join_open(&j, &world);
	assert_int_equal(j.ndirs, !!first + !!second);
	assert_int_equal(join_any(&j), !!first);
	if (first)
		assert_string_equal(j.paths[0], first);
	if (second)
		assert_string_equal(j.paths[1], second);
	join_close(&j);
}

static void directories_are_root_s_and_the_user_s(void **state)
{
	(void)state;
	check_looks(NULL, NULL);
	exists(0, USERDIR, UID, 0700);
	check_looks(USERDIR, NULL);
	exists(1, ROOTDIR, 0, 0755);
	check_looks(ROOTDIR, USERDIR);
	world.dirs[0].path = "/elsewhere";
	check_looks(ROOTDIR, NULL);
	world.any = false;
	check_looks(NULL, NULL);
}

static void directories_of_others_have_no_doors(void **state)
{
	(void)state;
	exists(0, ROOTDIR, UID, 0755);
	check_looks(NULL, NULL);
	exists(0, ROOTDIR, 0, 0775);
	check_looks(NULL, NULL);
	exists(0, ROOTDIR, 0, 0757);
	check_looks(NULL, NULL);
	exists(0, USERDIR, UID + 1, 0700);
	check_looks(NULL, NULL);
	exists(0, USERDIR, 0, 0700);
	check_looks(NULL, NULL);
}

/* The directory of the login has doors only if another user has taken the name of the first one. */
static void the_login_has_a_directory_for_need(void **state)
{
	(void)state;
	exists(0, LOGDIR, UID, 0700);
	check_looks(NULL, NULL);
	exists(1, USERDIR, UID + 1, 0700);
	check_looks(LOGDIR, NULL);
	world.dirs[1].error = EACCES;
	check_looks(LOGDIR, NULL);
	world.dirs[1].error = ELOOP;
	exists(2, ROOTDIR, 0, 0755);
	check_looks(ROOTDIR, LOGDIR);
	exists(1, USERDIR, UID, 0700);
	world.dirs[1].error = 0;
	check_looks(ROOTDIR, USERDIR);
	world.dirs[0].owner = 0;
	world.dirs[1].owner = 0;
	check_looks(ROOTDIR, NULL);
}

/* The sanitiser sees a change that is noted where no space is left, and pages that stay. */
static void any_number_of_changes_is_noted(void **state)
{
	static const struct dof_helper helper;
	struct join *j = malloc(sizeof(*j));
	void *pages = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char resident;

	(void)state;
	join_open(j, &world);
	join_dof(j, 0, &helper, pages, 4096, true);
	for (int i = 1; i < 3 * JOIN_ITEMS; i++) {
		join_remove(j, i);
		assert_in_range(j->nitems, 1, JOIN_ITEMS);
	}
	join_close(j);
	assert_int_equal(j->nitems, 0);
	assert_int_equal(mincore(pages, 4096, &resident), -1);
	assert_int_equal(errno, ENOMEM);
	free(j);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(directories_are_root_s_and_the_user_s),
		TEST(directories_of_others_have_no_doors),
		TEST(the_login_has_a_directory_for_need),
		TEST(any_number_of_changes_is_noted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
