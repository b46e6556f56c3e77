/* SPDX-License-Identifier: MIT */
/* pid_name.c - patterns and names of the pid provider: modules by their aliases, offsets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
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
		cmocka_unit_test(patterns),
		cmocka_unit_test(escapes),
		cmocka_unit_test(modules),
		cmocka_unit_test(offsets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
