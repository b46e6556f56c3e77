/* SPDX-License-Identifier: MIT */
/*
 * compile_ktype.c - types, functions and enumerators of the small kernel of test/compile/btf.c and
 * of its module.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include "../../libdtrace/program.h"
#include "ktype.h"

static struct arena arena;
static dt_ktypes_t *kernel, *mod;

static const char *name_of(const dt_type_t *t)
{
	static char text[256];

	return t ? dt_type_name(t, text, sizeof(text)) : "none";
}

static void names_have_classes(void **state)
{
	static const struct {
		const char *name, *types[KTYPE_FUNCTION + 1];
	} names[] = {
		{"pid_t", {[KTYPE_NAME] = "pid_t"}},
		{"short int", {[KTYPE_NAME] = "short"}},
		{"long unsigned int", {[KTYPE_NAME] = "unsigned long"}},
		{"_Bool", {[KTYPE_NAME] = "_Bool"}},
		{"file", {[KTYPE_STRUCT] = "struct file"}},
		{"device", {[KTYPE_STRUCT] = "struct device"}},
		{"color", {[KTYPE_ENUM] = "enum color"}},
		{"big", {[KTYPE_ENUM] = "enum big"}},
		{"do_work", {[KTYPE_FUNCTION] = "int(struct task_struct *, ...)"}},
		{"module_t", {NULL}},
		{"nothing", {NULL}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (dt_ktype_class_t class = KTYPE_NAME; class <= KTYPE_FUNCTION; class ++) {
			const char *expected = names[i].types[class];

			assert_string_equal(name_of(ktypes_find(kernel, class, names[i].name)),
					    expected ? expected : "none");
		}
	/* A module has its own names only. */
	assert_string_equal(name_of(ktypes_find(mod, KTYPE_NAME, "module_t")), "module_t");
	assert_string_equal(name_of(ktypes_find(mod, KTYPE_VARIABLE, "module_list")),
			    "struct list_head");
	assert_null(ktypes_find(mod, KTYPE_NAME, "module_list"));
	assert_null(ktypes_find(mod, KTYPE_NAME, "pid_t"));
}

static void functions_have_one_type(void **state)
{
	(void)state;
	assert_string_equal(name_of(ktypes_function(kernel, "do_work")),
			    "int(struct task_struct *, ...)");
	assert_string_equal(name_of(ktypes_function(kernel, "twice")),
			    "int(struct task_struct *, ...)");
	assert_null(ktypes_function(kernel, "ambiguous"));
	assert_null(ktypes_function(kernel, "task_struct"));
	assert_null(ktypes_function(kernel, "nothing"));
	assert_null(ktypes_function(mod, "do_work"));
}

static void enumerators_have_values(void **state)
{
	static const struct {
		const char *name, *type;
		int64_t value;
	} values[] = {
		{"RED", "enum color", 1},
		{"GREEN", "enum color", 2},
		{"MINUS", "enum sign", -1},
		{"BIG", "enum big", 0x100000000},
	};
	const dt_type_t *type;
	int64_t value;

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		assert_true(ktypes_enumerator(kernel, values[i].name, &value, &type));
		assert_int_equal(value, values[i].value);
		assert_string_equal(name_of(type), values[i].type);
		assert_int_equal(type->is_signed, value < 0);
		assert_int_equal(type_align(type), dt_type_size(type));
	}
	assert_false(ktypes_enumerator(kernel, "color", &value, &type));
	assert_false(ktypes_enumerator(mod, "RED", &value, &type));
}

static void members_have_places(void **state)
{
	static const struct {
		const char *record, *member, *type;
		uint32_t offset, bits, bitoff;
	} members[] = {
		{"file", "number", "long", 0, 0, 0},
		{"file", "readable", "unsigned int", 8, 1, 0},
		{"file", "mode", "int", 8, 7, 1},
		{"file", "wide", "long", 8, 40, 8},
		{"file", "huge", "struct __int128 unsigned", 16, 0, 0},
		{"file", "dev", "struct device *", 32, 0, 0},
		{"packed", "across", "unsigned long", 0, 30, 12},
		{"packed", "l", "long", 3, 0, 0},
		{"tail", "data", "short [0]", 4, 0, 0},
		{"task_struct", "flags", "unsigned long", 56, 0, 0},
		{"task_struct", "files", "struct file *", 64, 0, 0},
		{"task_struct", "loop", "void", 80, 0, 0},
		{"task_struct", "matrix", "short [2][3]", 88, 0, 0},
		{"inet_sock", "sk", "struct sock", 0, 0, 0},
	};
	static const struct {
		const char *record;
		uint32_t size, align;
	} records[] = {
		{"file", 40, 1}, {"packed", 11, 1},    {"tail", 4, 4},
		{"sock", 12, 4}, {"list_head", 16, 8}, {"task_struct", 112, 8},
	};
	dt_member_t m;

	(void)state;
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		const dt_type_t *t = ktypes_find(kernel, KTYPE_STRUCT, members[i].record);

		if (!type_member(t, members[i].member, &m))
			fail_msg("no %s", members[i].member);
		if (strcmp(name_of(m.type), members[i].type) != 0 &&
		    strcmp(members[i].member, "loop") != 0)
			fail_msg("%s: %s", members[i].member, name_of(m.type));
		assert_int_equal(m.offset, members[i].offset);
		assert_int_equal(m.bits, members[i].bits);
		assert_int_equal(m.bitoff, members[i].bitoff);
	}
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		const dt_type_t *t = ktypes_find(kernel, KTYPE_STRUCT, records[i].record);

		assert_int_equal(dt_type_size(t), records[i].size);
		assert_int_equal(type_align(t), records[i].align);
	}
	/* What the kernel only declares, the module defines. */
	assert_false(ktypes_find(kernel, KTYPE_STRUCT, "device")->complete);
	assert_true(type_member(ktypes_find(mod, KTYPE_STRUCT, "device"), "owner", &m));
	assert_string_equal(name_of(m.type), "struct task_struct *");
	assert_false(type_member(ktypes_find(mod, KTYPE_STRUCT, "file"), "dev", &m));
}

static void near_names_are_found(void **state)
{
	dt_spell_t n;

	(void)state;
	spell_begin(&n, "task_strcut");
	ktypes_spell(kernel, KTYPE_ENUM, &n);
	assert_null(n.name);
	ktypes_spell(kernel, KTYPE_STRUCT, &n);
	assert_string_equal(n.name, "task_struct");
	spell_begin(&n, "devixe");
	ktypes_spell(mod, KTYPE_STRUCT, &n);
	assert_string_equal(n.name, "device");
}

static int setup(void **state)
{
	(void)state;
	kernel = ktypes_open(&arena, TYPES "/vmlinux", NULL);
	mod = kernel ? ktypes_open(&arena, TYPES "/mod", kernel) : NULL;
	return mod ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	ktypes_close(mod);
	ktypes_close(kernel);
	arena_free(&arena);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(names_have_classes),      TEST(functions_have_one_type),
		TEST(enumerators_have_values), TEST(members_have_places),
		TEST(near_names_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
