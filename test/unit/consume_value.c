/* SPDX-License-Identifier: MIT */
/*
 * consume_value.c - values, addresses and stacks in structured output, and the same addresses and
 * stacks as text: with symbols, inlined functions and source lines of this process.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../../libdtrace/compile/type.h"
#include "../../libdtrace/consume/document.h"
#include "../../libdtrace/symbols/source.h"
#include "consume_fake.h"

/* Addresses within functions that are below. */
extern const char at_inner[], behind_call[];

#line 100 "made_up.c"
static inline __attribute__((always_inline)) void inner(volatile int *p)
{
	*p += 1;
	__asm__ volatile(".globl at_inner\nat_inner:\n\tnop" : : : "memory");
}

void outer(volatile int *p);
void __attribute__((noinline, used)) outer(volatile int *p)
{
	inner(p);
	__asm__ volatile("nop" : : : "memory");
	__asm__ volatile(".globl behind_call\nbehind_call:\n\tnop" : : : "memory");
	*p += 2;
}
#line 35 "consume_value.c"

static dtrace_recdesc_t rec;
static struct dt_arg arg = {.rec = &rec};

/* Return the member "v" that an argument becomes in JSON. */
static const char *json(void)
{
	static char text[1024];
	struct dt_writer w;

	assert_true(dt_writer_init(&w, &dt_json));
	dt_writer_object(&w, NULL);
	dt_document_value(dtp, &w, "v", &arg);
	dt_writer_end(&w);
	snprintf(text, sizeof(text), "%s", dt_writer_text(&w));
	text[strcspn(text, "\n")] = '\0';
	dt_writer_fini(&w);
	return text;
}

/* ---- values ---- */

static const char *value(const dt_type_t *type, const dtrace_diftype_t *rtype, const void *data,
			 uint32_t size)
{
	rec = (dtrace_recdesc_t){.dtrd_action = DTRACEACT_DIFEXPR, .dtrd_size = size};
	arg = (struct dt_arg){.rec = &rec, .data = data, .type = type, .rtype = rtype, .normal = 1};
	return json();
}

#define VALUE(type, ctype, ...) value(type, NULL, &(ctype){__VA_ARGS__}, sizeof(ctype))

static void numbers(void **state)
{
	(void)state;
	assert_string_equal(VALUE(NULL, int8_t, -1), "{\"v\": -1}");
	assert_string_equal(VALUE(&type_short, int16_t, -2), "{\"v\": -2}");
	assert_string_equal(VALUE(&type_uint, uint32_t, 0xffffffff), "{\"v\": 4294967295}");
	assert_string_equal(VALUE(&type_ulong, uint64_t, UINT64_MAX),
			    "{\"v\": 18446744073709551615}");
	assert_string_equal(VALUE(&type_float, float, 0.5f), "{\"v\": 0.5}");
	assert_string_equal(VALUE(&type_double, double, -2.25), "{\"v\": -2.25}");
	assert_string_equal(VALUE(&type_double, double, INFINITY), "{\"v\": \"inf\"}");
}

static void strings_and_bytes(void **state)
{
	static const dtrace_diftype_t string = {.dtdt_kind = DIF_TYPE_STRING};
	static const dtrace_diftype_t bytes = {.dtdt_kind = DIF_TYPE_CTF,
					       .dtdt_flags = DIF_TF_BYREF};
	static const dt_type_t record = {.kind = TYPE_STRUCT, .size = 3, .complete = true};

	(void)state;
	assert_string_equal(value(NULL, &string, "text\0more", 9), "{\"v\": \"text\"}");
	assert_string_equal(value(NULL, &bytes, "abcd", 4), "{\"v\": \"abcd\"}");
	assert_string_equal(value(NULL, NULL, "abc", 3), "{\"v\": \"abc\"}");
	assert_string_equal(value(NULL, NULL, "a\0c", 3), "{\"v\": \"610063\"}");
	assert_string_equal(value(&record, &bytes, "abc", 3), "{\"v\": \"616263\"}");
	dtrace_setopt(dtp, "rawbytes", NULL);
	assert_string_equal(value(NULL, &string, "abc", 3), "{\"v\": \"616263\"}");
}

/* ---- addresses ---- */

static uint64_t user[2]; /* a record: process, address */

static const char *text_of(dtrace_actkind_t kind)
{
	static char text[256];

	dt_symbol_text(dtp, kind, user, text, sizeof(text));
	return text;
}

static const char *json_of(dtrace_actkind_t kind)
{
	rec = (dtrace_recdesc_t){.dtrd_action = kind, .dtrd_size = sizeof(user)};
	arg = (struct dt_arg){.rec = &rec, .data = user};
	return json();
}

/* Return whether an address has a name. It must be this, and the address so far behind it. */
static bool name_of(dtrace_actkind_t kind, const char *name, uint64_t behind)
{
	uint64_t off = 99;
	char text[256];

	if (!dt_symbol_name(dtp, kind, user, text, sizeof(text), &off))
		return false;
	assert_string_equal(text, name);
	assert_int_equal(off, behind);
	return true;
}

static void addresses(void **state)
{
	(void)state;
	user[0] = (uint64_t)getpid();
	user[1] = (uintptr_t)outer;
	assert_string_equal(text_of(DTRACEACT_USYM), "consume_value`outer");
	assert_string_equal(text_of(DTRACEACT_UADDR), "consume_value`outer");
	user[1]++;
	assert_string_equal(text_of(DTRACEACT_USYM), "consume_value`outer");
	assert_string_equal(text_of(DTRACEACT_UMOD), "consume_value");
	assert_string_equal(text_of(DTRACEACT_UADDR), "consume_value`outer+0x1");
	assert_string_equal(json_of(DTRACEACT_USYM),
			    "{\"v\": {\"symbol\": \"consume_value`outer\", "
			    "\"module\": \"consume_value\", \"name\": \"outer\"}}");
	assert_string_equal(json_of(DTRACEACT_UMOD), "{\"v\": {\"symbol\": \"consume_value\", "
						     "\"module\": \"consume_value\"}}");
	assert_string_equal(json_of(DTRACEACT_UADDR),
			    "{\"v\": {\"symbol\": \"consume_value`outer+0x1\", "
			    "\"module\": \"consume_value\", \"name\": \"outer\", "
			    "\"offset\": \"0x1\"}}");
	assert_true(name_of(DTRACEACT_USYM, "consume_value`outer", 1));
	assert_true(name_of(DTRACEACT_UMOD, "consume_value", 0));
	assert_true(name_of(DTRACEACT_UADDR, "consume_value`outer+0x1", 0));
	user[1] = 3;
	assert_false(name_of(DTRACEACT_USYM, "", 0));
	assert_false(name_of(DTRACEACT_UMOD, "", 0));
	assert_string_equal(text_of(DTRACEACT_UADDR), "0x3");
	assert_string_equal(json_of(DTRACEACT_UADDR), "{\"v\": {\"symbol\": \"0x3\"}}");
	/* A record that is too short has no address. */
	rec.dtrd_size = 8;
	assert_string_equal(json(), "{\"v\": {}}");
}

/* ---- stacks ---- */

static uint64_t stack[5]; /* a record: process, frames */

static void print_stack(FILE *fp, void *unused)
{
	(void)unused;
	dt_frames_print(dtp, fp, &rec, stack, 2, 0);
}

/* Set the record: the thread is in inner(), which outer() has called, whose caller is unknown. */
static void stack_set(void)
{
	stack[0] = (uint64_t)getpid();
	stack[1] = (uintptr_t)at_inner;
	stack[2] = (uintptr_t)behind_call;
	stack[3] = 3;
	stack[4] = 0;
	rec = (dtrace_recdesc_t){.dtrd_action = DTRACEACT_USTACK,
				 .dtrd_size = sizeof(stack),
				 .dtrd_arg = DTRACE_USTACK_ARG(4, 0)};
	arg = (struct dt_arg){.rec = &rec, .data = stack};
}

static uint64_t offset(const char *at)
{
	return (uintptr_t)at - (uintptr_t)outer;
}

static void stacks(void **state)
{
	char expected[1024];

	(void)state;
	stack_set();
	snprintf(expected, sizeof(expected),
		 "  consume_value`outer+0x%" PRIx64 "\n  consume_value`outer+0x%" PRIx64
		 "\n  0x3\n",
		 offset(at_inner), offset(behind_call));
	assert_string_equal(captured(print_stack, NULL), expected);
	snprintf(expected, sizeof(expected),
		 "{\"v\": {\"ustack-frames\": ["
		 "{\"symbol\": \"consume_value`outer+0x%" PRIx64 "\", \"module\": "
		 "\"consume_value\", \"name\": \"outer\", \"offset\": \"0x%" PRIx64 "\"}, "
		 "{\"symbol\": \"consume_value`outer+0x%" PRIx64 "\", \"module\": "
		 "\"consume_value\", \"name\": \"outer\", \"offset\": \"0x%" PRIx64 "\"}, "
		 "{\"symbol\": \"0x3\"}]}}",
		 offset(at_inner), offset(at_inner), offset(behind_call), offset(behind_call));
	assert_string_equal(json(), expected);
	dtrace_setopt(dtp, "stacksymbols", "off");
	snprintf(expected, sizeof(expected), "  0x%" PRIxPTR "\n  0x%" PRIxPTR "\n  0x3\n",
		 (uintptr_t)at_inner, (uintptr_t)behind_call);
	assert_string_equal(captured(print_stack, NULL), expected);
	/* Symbols that are not wanted have no lines, either. */
	dtrace_setopt(dtp, "stacklines", NULL);
	assert_string_equal(captured(print_stack, NULL), expected);
}

/* An inlined function has a frame of its own. A return address belongs to the line of the call. */
static void stacks_with_lines(void **state)
{
	char expected[1024];

	(void)state;
	dtrace_setopt(dtp, "stacklines", NULL);
	stack_set();
	snprintf(expected, sizeof(expected),
		 "  consume_value`inner [inlined] (made_up.c:103)\n"
		 "  consume_value`outer+0x%" PRIx64 " (made_up.c:109)\n"
		 "  consume_value`outer+0x%" PRIx64 " (made_up.c:110)\n  0x3\n",
		 offset(at_inner), offset(behind_call));
	assert_string_equal(captured(print_stack, NULL), expected);
	snprintf(expected, sizeof(expected),
		 "{\"v\": {\"ustack-frames\": ["
		 "{\"symbol\": \"consume_value`inner [inlined]\", \"module\": \"consume_value\", "
		 "\"inlined\": \"inner\", \"source\": \"made_up.c:103\"}, "
		 "{\"symbol\": \"consume_value`outer+0x%" PRIx64 "\", \"module\": "
		 "\"consume_value\", \"name\": \"outer\", \"offset\": \"0x%" PRIx64
		 "\", \"source\": \"made_up.c:109\"}, "
		 "{\"symbol\": \"consume_value`outer+0x%" PRIx64 "\", \"module\": "
		 "\"consume_value\", \"name\": \"outer\", \"offset\": \"0x%" PRIx64
		 "\", \"source\": \"made_up.c:110\"}, {\"symbol\": \"0x3\"}]}}",
		 offset(at_inner), offset(at_inner), offset(behind_call), offset(behind_call));
	assert_string_equal(json(), expected);
	/* The innermost frame is where the thread is. */
	stack[1] = (uintptr_t)behind_call;
	stack[2] = 0;
	snprintf(expected, sizeof(expected),
		 "  consume_value`outer+0x%" PRIx64 " (made_up.c:111)\n", offset(behind_call));
	assert_string_equal(captured(print_stack, NULL), expected);
}

/* What a helper says of a frame, instead of a symbol or beside it. */
static void stacks_with_names(void **state)
{
	static const struct {
		uint64_t words[3];
		char strs[32];
	} frames = {{INT32_MAX, 3, 4}, "name\n@note\0@other"};

	(void)state;
	rec = (dtrace_recdesc_t){.dtrd_action = DTRACEACT_JSTACK,
				 .dtrd_size = sizeof(frames),
				 .dtrd_arg = DTRACE_USTACK_ARG(2, 32)};
	arg = (struct dt_arg){.rec = &rec, .data = &frames};
	assert_string_equal(json(), "{\"v\": {\"ustack-frames\": ["
				    "{\"symbol\": \"name\", \"note\": \"note\"}, "
				    "{\"symbol\": \"0x4\", \"note\": \"other\"}]}}");
}

static void files_without_lines(void **state)
{
	(void)state;
	assert_null(dt_source_open("/proc/self/maps", "maps"));
	assert_null(dt_source_open("/nowhere", "nowhere"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(numbers),
		TEST(strings_and_bytes),
		TEST(addresses),
		TEST(stacks),
		TEST(stacks_with_lines),
		TEST(stacks_with_names),
		TEST(files_without_lines),
	};
	volatile int n = 0;

	outer(&n);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
