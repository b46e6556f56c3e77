/* SPDX-License-Identifier: MIT */
/*
 * consume_kernel_symbol.c - kernel symbols by name and by address, from tables of the test's own.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "consume_fake.h"

static const char table[] = "0000000000000040 A percpu\n"
			    "ffffffff81000000 D data_here_too\n"
			    "ffffffff81000000 T code_here\n"
			    "ffffffff81000100 t twice\n"
			    "ffffffff81000200 T twice\n"
			    "ffffffff81000300 d noise\n"
			    "not a line\n"
			    "\n"
			    "ffffffffc0000000 t twice\t[mod]\n"
			    "ffffffffc0000010 b only\t[mod]\n"
			    "ffffffffc0000020 t other\t[other_mod]\n";

/* Read the names of kernel symbols from a file with this text. */
static void use(const char *text)
{
	char path[] = "/tmp/kallsyms.XXXXXX";
	int fd = mkstemp(path);
	const char *why;

	assert_int_not_equal(fd, -1);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(dtrace_setopt(dtp, "kallsyms", path), 0);
	why = dt_kernel_symbols_why(dtp);
	assert_non_null(why);
	unlink(path);
}

static void assert_found(const char *module, const char *name, uint64_t addr, const char *in,
			 bool code)
{
	const char *found;
	uint64_t at;
	bool is_code;

	assert_true(dt_kernel_symbol_find(dtp, module, name, &at, &found, &is_code));
	assert_int_equal(at, addr);
	assert_string_equal(found, in);
	assert_int_equal(is_code, code);
}

static void assert_missing(const char *module, const char *name)
{
	const char *found;
	uint64_t at;
	bool is_code;

	assert_false(dt_kernel_symbol_find(dtp, module, name, &at, &found, &is_code));
	assert_int_equal(errno, ENOENT);
}

static void assert_named(uint64_t addr, const char *module, const char *name, uint64_t off)
{
	const char *m, *n;
	uint64_t o;

	assert_true(dt_kernel_symbol(dtp, addr, &m, &n, &o));
	assert_string_equal(m, module);
	assert_string_equal(n, name);
	assert_int_equal(o, off);
}

/* A global symbol comes before a local one, and the kernel's before those of modules. */
static void test_names(void **state)
{
	(void)state;
	use(table);
	assert_found("", "twice", 0xffffffff81000200, "vmlinux", true);
	assert_found("mod", "twice", 0xffffffffc0000000, "mod", true);
	assert_found("", "only", 0xffffffffc0000010, "mod", false);
	assert_found("vmlinux", "noise", 0xffffffff81000300, "vmlinux", false);
	assert_found("", "percpu", 0x40, "vmlinux", false);
	assert_missing("vmlinux", "only");
	assert_missing("nowhere", "twice");
	assert_missing("", "nothing");
}

/*
 * Of the names of one address, that of code is taken. Addresses below the kernel have no name, nor
 * those where another module was, behind the page that the kernel leaves unused.
 */
static void test_addresses(void **state)
{
	const char *m, *n;
	uint64_t o;

	(void)state;
	use(table);
	assert_named(0xffffffff81000004, "vmlinux", "code_here", 4);
	assert_named(0xffffffff810002ff, "vmlinux", "twice", 0xff);
	assert_named(0xffffffffc0000018, "mod", "only", 8);
	assert_named(0xffffffffc0001fff, "other_mod", "other", 0x1fdf);
	assert_false(dt_kernel_symbol(dtp, 0xffffffffc0002000, &m, &n, &o));
	assert_false(dt_kernel_symbol(dtp, 0xffffffffc1000000, &m, &n, &o));
	assert_false(dt_kernel_symbol(dtp, UINT64_MAX, &m, &n, &o));
	assert_false(dt_kernel_symbol(dtp, 0x44, &m, &n, &o));
	assert_false(dt_kernel_symbol(dtp, 0x7fff00001234, &m, &n, &o));
	assert_false(dt_kernel_symbol(dtp, 0xffffffff80ffffff, &m, &n, &o));
}

/* Of several names of code, the best known is taken. */
static void test_aliases(void **state)
{
	(void)state;
	use("ffffffff81000000 T _stext\n"
	    "ffffffff81000000 T _text\n"
	    "ffffffff81000000 t __pi__text\n"
	    "ffffffff81000100 t part.cold\n"
	    "ffffffff81000100 t __local\n"
	    "ffffffff81000200 W may_be_another\n"
	    "ffffffff81000200 T __read\n"
	    "ffffffff81000300 t __pfx_do_it\n"
	    "ffffffff81000310 T do_it\n"
	    "ffffffff81000310 t __cfi_do_it\n"
	    "ffffffff81000400 T ___three\n"
	    "ffffffff81000400 T _one\n"
	    "ffffffff81000400 T __two\n");
	assert_named(0xffffffff81000001, "vmlinux", "_stext", 1);
	assert_named(0xffffffff81000100, "vmlinux", "__local", 0);
	assert_named(0xffffffff81000200, "vmlinux", "__read", 0);
	assert_named(0xffffffff81000304, "vmlinux", "__pfx_do_it", 4);
	assert_named(0xffffffff81000314, "vmlinux", "do_it", 4);
	assert_named(0xffffffff81000402, "vmlinux", "_one", 2);
}

/* The reason for missing symbols is reported. */
static void test_why(void **state)
{
	(void)state;
	assert_int_equal(dtrace_setopt(dtp, "kallsyms", "/nonexistent"), 0);
	assert_string_equal(dt_kernel_symbols_why(dtp), strerror(ENOENT));
	assert_missing("", "twice");
}

static void test_hidden(void **state)
{
	(void)state;
	use("0000000000000000 T twice\n0000000000000000 T once\n");
	assert_non_null(strstr(dt_kernel_symbols_why(dtp), "kptr_restrict"));
	assert_missing("", "twice");
}

static void test_empty(void **state)
{
	(void)state;
	use("");
	assert_non_null(strstr(dt_kernel_symbols_why(dtp), "there are none"));
	assert_missing("", "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_names), TEST(test_addresses), TEST(test_aliases),
		TEST(test_why),	  TEST(test_hidden),	TEST(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
