/* SPDX-License-Identifier: MIT */
/*
 * consume_format.c - every conversion of printf() prints what it should, with flags, width,
 * precision and stars.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "consume_fake.h"

/* One conversion and its argument. */
struct one {
	dt_conv_t conv;
	dtrace_recdesc_t rec;
	const void *data;
	dtrace_diftype_t rtype;
	struct dt_arg args[3];
	uint32_t nargs;
};

static void print_one(FILE *fp, void *arg)
{
	struct one *one = arg;
	struct dt_format format = {.convs = &one->conv, .nconvs = 1};

	dt_format_print(dtp, fp, &format, one->args, one->nargs, NULL, 0);
}

static const char *printed(const char *conv, uint32_t flags, int width, int prec, const void *data,
			   size_t size)
{
	static struct one one;

	one = (struct one){.conv = {.text = "", .flags = flags, .width = width, .prec = prec}};
	strcpy(one.conv.conv, conv);
	one.rec = (dtrace_recdesc_t){.dtrd_action = DTRACEACT_DIFEXPR, .dtrd_size = size};
	one.args[0] = (struct dt_arg){.rec = &one.rec, .data = data, .normal = 1};
	one.nargs = 1;
	return captured(print_one, &one);
}

#define INT(conv, flags, width, prec, type, value) \
	printed(conv, flags, width, prec, &(type){value}, sizeof(type))

static void integers_keep_sign_and_size(void **state)
{
	(void)state;
	assert_string_equal(INT("d", 0, -1, -1, int32_t, -5), "-5");
	assert_string_equal(INT("i", 0, -1, -1, int64_t, INT64_MIN), "-9223372036854775808");
	assert_string_equal(INT("d", 0, -1, -1, int8_t, -1), "-1");
	assert_string_equal(INT("u", 0, -1, -1, uint8_t, 255), "255");
	assert_string_equal(INT("u", 0, -1, -1, uint64_t, UINT64_MAX), "18446744073709551615");
	assert_string_equal(INT("x", 0, -1, -1, int32_t, -1), "ffffffff");
	assert_string_equal(INT("X", 0, -1, -1, uint32_t, 0xdeadbeef), "DEADBEEF");
	assert_string_equal(INT("o", 0, -1, -1, uint32_t, 8), "10");
	assert_string_equal(INT("p", 0, -1, -1, uint64_t, 0x1234), "1234");
}

static void flags_width_and_precision_apply(void **state)
{
	(void)state;
	assert_string_equal(INT("d", 0, 6, -1, int32_t, 42), "    42");
	assert_string_equal(INT("d", DT_CONV_LEFT, 6, -1, int32_t, 42), "42    ");
	assert_string_equal(INT("d", DT_CONV_ZERO, 6, -1, int32_t, -42), "-00042");
	assert_string_equal(INT("d", DT_CONV_PLUS, -1, -1, int32_t, 42), "+42");
	assert_string_equal(INT("d", DT_CONV_SPACE, -1, -1, int32_t, 42), " 42");
	assert_string_equal(INT("x", DT_CONV_ALT, 8, -1, uint32_t, 0xff), "    0xff");
	assert_string_equal(INT("d", 0, 6, 4, int32_t, 42), "  0042");
	assert_string_equal(INT("x", DT_CONV_PTRWIDTH, -1, -1, uint64_t, 0xabc),
			    "             abc");
}

static void strings_end_at_nul_or_precision(void **state)
{
	char text[16] = "hello";

	(void)state;
	assert_string_equal(printed("s", 0, -1, -1, text, sizeof(text)), "hello");
	assert_string_equal(printed("s", 0, -1, 3, text, sizeof(text)), "hel");
	assert_string_equal(printed("s", 0, 8, -1, text, sizeof(text)), "   hello");
	assert_string_equal(printed("s", DT_CONV_LEFT, 8, -1, text, sizeof(text)), "hello   ");
	memset(text, 'x', sizeof(text));
	assert_string_equal(printed("s", 0, -1, -1, text, sizeof(text)), "xxxxxxxxxxxxxxxx");
	assert_string_equal(printed("S", 0, -1, -1, "a\tb\"\001", 6), "a\\tb\\\"\\001");
}

static void characters_and_wide_characters(void **state)
{
	(void)state;
	assert_string_equal(INT("c", 0, -1, -1, int32_t, 'a'), "a");
	assert_string_equal(INT("c", 0, 3, -1, int32_t, 'a'), "  a");
	assert_string_equal(INT("C", 0, -1, -1, int32_t, '\n'), "\\n");
	assert_string_equal(INT("C", 0, -1, -1, int32_t, 0), "\\0");
	assert_string_equal(INT("wc", 0, -1, -1, int32_t, 'w'), "w");
	assert_string_equal(printed("ws", 0, -1, -1, L"wide", sizeof(L"wide")), "wide");
	/* Words that are no characters. */
	assert_string_equal(printed("ws", 0, -1, -1, (const int32_t[]){'a', -1, 0x110000, 'b'}, 16),
			    "a??b");
}

static void floats_of_each_size(void **state)
{
	(void)state;
	assert_string_equal(INT("f", 0, -1, 2, double, 1.5), "1.50");
	assert_string_equal(INT("e", 0, -1, 1, float, 250.0f), "2.5e+02");
	assert_string_equal(INT("g", 0, -1, -1, long double, 0.25L), "0.25");
	assert_string_equal(INT("f", 0, -1, 1, int16_t, -7), "-7.0");
}

static void times_are_local(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	assert_string_equal(INT("Y", 0, -1, -1, uint64_t, 0), "1970 Jan  1 00:00:00");
	assert_string_equal(INT("Y", 0, -1, -1, uint64_t, 1700000000ULL * 1000000000ULL),
			    "2023 Nov 14 22:13:20");
	assert_string_equal(INT("T", 0, -1, -1, uint64_t, 0), "Thu, 01 Jan 1970 00:00:00 UTC");
}

static void stars_take_arguments(void **state)
{
	int32_t width = -6, prec = 3, value = 7;
	dtrace_recdesc_t rec = {.dtrd_action = DTRACEACT_DIFEXPR, .dtrd_size = 4};
	struct one one = {
		.conv = {.text = "<",
			 .textlen = 1,
			 .conv = "d",
			 .flags = DT_CONV_WIDTH_ARG | DT_CONV_PREC_ARG,
			 .width = -1,
			 .prec = -1},
		.args = {{.rec = &rec, .data = &width},
			 {.rec = &rec, .data = &prec},
			 {.rec = &rec, .data = &value}},
		.nargs = 3,
	};

	(void)state;
	assert_string_equal(captured(print_one, &one), "<007   ");
}

/* Of $target: %A alone, and of it addresses of user land only. */
static void addresses_of_the_target_have_names(void **state)
{
	uint64_t here = (uintptr_t)addresses_of_the_target_have_names;
	char plain[32];

	(void)state;
	snprintf(plain, sizeof(plain), "0x%llx", (unsigned long long)here);
	assert_string_equal(INT("A", 0, -1, -1, uint64_t, here), plain);
	dtp->target = getpid();
	assert_string_equal(INT("A", 0, -1, -1, uint64_t, here),
			    "consume_format`addresses_of_the_target_have_names");
	assert_string_equal(INT("A", 0, -1, -1, uint64_t, here + 1),
			    "consume_format`addresses_of_the_target_have_names+0x1");
	assert_string_equal(INT("a", 0, -1, -1, uint64_t, here), plain);
	assert_string_equal(INT("A", 0, -1, -1, uint64_t, 0xfffffffff0000000),
			    "0xfffffffff0000000");
	dtp->target = 0;
}

static void addresses_without_symbol_are_hexadecimal(void **state)
{
	(void)state;
	assert_string_equal(INT("a", 0, -1, -1, uint64_t, 0x10), "0x10");
}

/* Print a record of an action by a conversion. */
static const char *recorded(const char *conv, uint32_t flags, int width, dtrace_actkind_t kind,
			    const void *data, size_t size)
{
	static struct one one;

	one = (struct one){.conv = {.text = "", .flags = flags, .width = width, .prec = -1}};
	strcpy(one.conv.conv, conv);
	one.rec = (dtrace_recdesc_t){.dtrd_action = kind, .dtrd_size = size};
	one.args[0] = (struct dt_arg){.rec = &one.rec, .data = data, .normal = 1};
	one.nargs = 1;
	return captured(print_one, &one);
}

static void actions_of_addresses(void **state)
{
	const uint64_t here[] = {(uint64_t)getpid(), (uintptr_t)actions_of_addresses + 1};
	char number[32];

	(void)state;
	assert_string_equal(recorded("A", 0, -1, DTRACEACT_USYM, here, 16),
			    "consume_format`actions_of_addresses");
	assert_string_equal(recorded("A", 0, 16, DTRACEACT_UMOD, here, 16), "  consume_format");
	assert_string_equal(recorded("a", 0, -1, DTRACEACT_UADDR, here, 16),
			    "consume_format`actions_of_addresses+0x1");
	assert_string_equal(recorded("a", 0, -1, DTRACEACT_SYM, &(uint64_t){5}, 8), "0x5");
	/* As a number, it is the address alone. */
	snprintf(number, sizeof(number), "%llx", (unsigned long long)here[1]);
	assert_string_equal(recorded("x", 0, -1, DTRACEACT_USYM, here, 16), number);
	assert_string_equal(recorded("x", 0, -1, DTRACEACT_UADDR, here, 16), number);
}

/* A stack is printed as such by any conversion. %k prints nothing else. */
static void stacks_have_lines(void **state)
{
	static const uint64_t frames[] = {0x10, 0x20, 0};

	(void)state;
	assert_string_equal(recorded("k", 0, 0, DTRACEACT_STACK, frames, sizeof(frames)),
			    "\n0x10\n0x20\n");
	assert_string_equal(recorded("k", 0, 6, DTRACEACT_STACK, frames, sizeof(frames)),
			    "\n  0x10\n  0x20\n");
	assert_string_equal(recorded("k", DT_CONV_LEFT, 6, DTRACEACT_STACK, frames, sizeof(frames)),
			    "\n      0x10  \n      0x20  \n");
	assert_string_equal(recorded("d", 0, 0, DTRACEACT_STACK, frames, sizeof(frames)),
			    "\n0x10\n0x20\n");
	assert_string_equal(recorded("k", 0, 0, DTRACEACT_DIFEXPR, frames, 8), "");
}

static void print_shortened(FILE *fp, void *arg)
{
	struct one *one = arg;

	strcpy(one->conv.mod, one->args[0].normal == 1 ? "hh" : "h");
	print_one(fp, arg);
}

/* The modifiers h and hh, as in C: some of the bytes of a value. */
static void shortened_integers(void **state)
{
	dtrace_recdesc_t rec = {.dtrd_action = DTRACEACT_DIFEXPR, .dtrd_size = 4};
	int32_t value = 0x12fffefd;
	struct one one = {
		.conv = {.text = "", .conv = "d", .width = -1, .prec = -1},
		.args = {{.rec = &rec, .data = &value, .normal = 1}},
		.nargs = 1,
	};

	(void)state;
	assert_string_equal(captured(print_shortened, &one), "-3");
	one.args[0].normal = 2;
	assert_string_equal(captured(print_shortened, &one), "-259");
}

static void strings_suit_any_conversion(void **state)
{
	const dtrace_diftype_t string = {.dtdt_kind = DIF_TYPE_STRING};
	dtrace_recdesc_t rec = {.dtrd_action = DTRACEACT_DIFEXPR, .dtrd_size = 8};
	struct one one = {
		.conv = {.text = "", .conv = "d", .width = 7, .prec = -1},
		.args = {{.rec = &rec, .data = "text\0xxx", .rtype = &string, .normal = 1}},
		.nargs = 1,
	};

	(void)state;
	assert_string_equal(captured(print_one, &one), "   text");
}

static void traced_values_have_columns(void **state)
{
	(void)state;
	static const struct {
		int64_t value;
		size_t size;
		bool quiet;
		const char *want;
	} cases[] = {
		{1, 8, false, "                1"},
		{-1, 4, false, "       -1"},
		{7, 2, false, "     7"},
		{7, 1, false, "   7"},
		{-1, 8, true, "-1"},
		{300, 4, true, "300"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[64] = "";
		FILE *fp = fmemopen(text, sizeof(text), "w");

		dt_value_print(dtp, fp, NULL, NULL, &cases[i].value, cases[i].size, cases[i].quiet,
			       -33);
		fclose(fp);
		assert_string_equal(text, cases[i].want);
	}
}

static void print_dump(FILE *fp, void *arg)
{
	dt_value_dump(fp, arg, 18);
}

static void bytes_are_dumped_with_their_text(void **state)
{
	(void)state;
	assert_string_equal(
		captured(print_dump, "abc\001\002defghijklmnopq"),
		"\n             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef\n"
		"         0: 61 62 63 01 02 64 65 66 67 68 69 6a 6b 6c 6d 6e  abc..defghijklmn\n"
		"        10: 6f 70                                            op\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_keep_sign_and_size),
		cmocka_unit_test(flags_width_and_precision_apply),
		cmocka_unit_test(strings_end_at_nul_or_precision),
		cmocka_unit_test(characters_and_wide_characters),
		cmocka_unit_test(floats_of_each_size),
		cmocka_unit_test(times_are_local),
		cmocka_unit_test(stars_take_arguments),
		cmocka_unit_test(addresses_of_the_target_have_names),
		cmocka_unit_test(addresses_without_symbol_are_hexadecimal),
		cmocka_unit_test(actions_of_addresses),
		cmocka_unit_test(stacks_have_lines),
		cmocka_unit_test(shortened_integers),
		cmocka_unit_test(strings_suit_any_conversion),
		cmocka_unit_test(traced_values_have_columns),
		cmocka_unit_test(bytes_are_dumped_with_their_text),
	};

	return cmocka_run_group_tests(tests, fake_setup, fake_teardown);
}
