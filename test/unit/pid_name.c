/* SPDX-License-Identifier: MIT */
/* pid_name.c - patterns and names of the pid provider: modules by their aliases, offsets. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "../../libdtrace/pid/impl.h"

static void patterns(void **state)
{
	static const char *const globs[] = {"*", "a*", "a?", "[ab]", "\\\\*", "\\", "a\\**"};
	static const char *const plain[] = {"", "a", "\\*", "a\\?\\[b]", "a]"};

	(void)state;
	for (size_t i = 0; i < sizeof(globs) / sizeof(globs[0]); i++)
		assert_int_equal(pid_is_glob(globs[i]), strcmp(globs[i], "\\") != 0);
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		assert_false(pid_is_glob(plain[i]));
	assert_true(pid_name_matches("", "anything"));
	assert_true(pid_name_matches("a*", "abc"));
	assert_false(pid_name_matches("a*", "bc"));
	assert_false(pid_name_matches("a", "ab"));
}

/* The written text ends where it must, whatever was there before. */
static void escapes(void **state)
{
	static const struct {
		const char *name, *pattern;
	} pairs[] = {
		{"main", "main"},
		{"", ""},
		{"operator*", "operator\\*"},
		{"a?b[c]\\d:e", "a\\?b\\[c\\]\\\\d\\:e"},
	};
	char out[32];

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		memset(out, 'x', sizeof(out));
		pid_escape(pairs[i].name, out, sizeof(out));
		assert_string_equal(out, pairs[i].pattern);
		memset(out, 'x', sizeof(out));
		pid_unescape(pairs[i].pattern, out, sizeof(out));
		assert_string_equal(out, pairs[i].name);
	}
	pid_unescape("a\\", out, sizeof(out));
	assert_string_equal(out, "a\\");
	memset(out, 'x', sizeof(out));
	pid_unescape("abc\\*ef", out, 5);
	assert_string_equal(out, "abc*");
	assert_int_equal(out[5], 'x');
	for (size_t len = 1; len < 8; len++) {
		memset(out, 'x', sizeof(out));
		pid_escape("ab*?", out, len);
		assert_true(strlen(out) < len);
		assert_memory_equal(out, "ab\\*\\?", strlen(out));
		assert_int_equal(out[len], 'x');
	}
}

static void modules(void **state)
{
	static const struct {
		const char *pattern, *path;
		bool program, matches;
	} cases[] = {
		{"libc.so.6", "/usr/lib/libc.so.6", false, true},
		{"", "/usr/lib/libc.so.6", false, true},
		{"libc", "/usr/lib/libc.so.6", false, true},
		{"libc", "/usr/lib/libc.so", false, true},
		{"libc.so", "/usr/lib/libc.so.6", false, true},
		{"libc", "/usr/lib/libc-2.31.so", false, true},
		{"libc", "/usr/lib/libc-2.31.so.6", false, true},
		{"libc*", "/usr/lib/libc.so.6", false, true},
		{"libc.so.?", "/usr/lib/libc.so.6", false, true},
		{"libstdc++", "/usr/lib/libstdc++.so.6", false, true},
		{"a\\*b", "/tmp/a*b.so", false, true},
		{"/usr/lib/libc.so.6", "/usr/lib/libc.so.6", false, true},
		{"/usr/*/libc.so.6", "/usr/lib/libc.so.6", false, true},
		{"a.out", "/bin/sleep", true, true},
		{"sleep", "/bin/sleep", true, true},
		{"lib", "/usr/lib/libc.so.6", false, false},
		{"libc", "/usr/lib/libcap.so.2", false, false},
		{"libc.so.6", "/usr/lib/libc.so.6.1", false, false},
		{"libc", "/usr/lib/libc-client.so", false, false},
		{"libc", "/usr/lib/libc-2x.so", false, false},
		{"libc", "/usr/lib/libc.sorry", false, false},
		{"libc", "/usr/lib/libc", false, true},
		{"libc", "/usr/lib/xlibc.so", false, false},
		{"libc?", "/usr/lib/libc.so.6", false, false},
		{"*.so.", "/usr/lib/libc.so.6", false, false},
		{"/lib/libc.so.6", "/usr/lib/libc.so.6", false, false},
		{"a.out", "/bin/sleep", false, false},
		{"a.out*", "/bin/sleep", true, false},
		{"b.out", "/bin/sleep", true, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (pid_module_matches(cases[i].pattern, cases[i].path, cases[i].program) !=
		    cases[i].matches)
			fail_msg("%s, %s", cases[i].pattern, cases[i].path);
}

/* A library may be named by the link to its file, as in ldd(1), in the folder of the file only. */
static void linked(void **state)
{
	static const char *const files[] = {"libx.so.1.2.3", "libx.so.2", "x.so.1"};
	static const struct {
		const char *pattern;
		bool matches;
	} cases[] = {
		{"libx.so.1", true},
		{"libx.so.1.2", false},
		{"libx.so.2", false},
		{"x.so.1", false},
	};
	char folder[] = "/tmp/pid_name-XXXXXX", path[64], other[64];

	(void)state;
	assert_non_null(mkdtemp(folder));
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
		assert_true(close(creat(path, 0600)) == 0);
	}
	snprintf(path, sizeof(path), "%s/libx.so.1", folder);
	assert_return_code(symlink(files[0], path), errno);
	snprintf(path, sizeof(path), "%s/%s", folder, files[0]);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (pid_module_matches(cases[i].pattern, path, false) != cases[i].matches)
			fail_msg("%s", cases[i].pattern);
	snprintf(other, sizeof(other), "%s/libx.so.2.0", folder);
	assert_false(pid_module_matches("libx.so.2", other, false));
	snprintf(other, sizeof(other), "%s/libx.so.1", folder);
	assert_return_code(unlink(other), errno);
	assert_false(pid_module_matches("libx.so.1", path, false));
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
		assert_return_code(unlink(path), errno);
	}
	assert_return_code(rmdir(folder), errno);
}

static void offsets(void **state)
{
	static const char *const others[] = {
		"", "0x", "entry", "0xg", "1 ", "0x00", "12345678901234567", "0x0x1"};
	uint64_t value = 7;

	(void)state;
	assert_true(pid_name_is_offset("0", &value));
	assert_int_equal(value, 0);
	assert_true(pid_name_is_offset("1f", &value));
	assert_int_equal(value, 0x1f);
	assert_true(pid_name_is_offset("0xfeedBEEFfeedBEEF", &value));
	assert_int_equal(value, 0xfeedbeeffeedbeef);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_int_equal(pid_name_is_offset(others[i], &value),
				 strcmp(others[i], "0x00") == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns), cmocka_unit_test(escapes), cmocka_unit_test(modules),
		cmocka_unit_test(linked),   cmocka_unit_test(offsets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
