/* SPDX-License-Identifier: MIT */
/*
 * compile_rules.c - rules of the language as tables: programs on both sides of each bound, and each
 * combination of words, types and operands, with the tag of the error, or NULL if it compiles.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "handle.h"

struct rule {
	const char *tag, *program;
};

/* Return the tag of the program's error, "" if it compiles, or the message if it has no tag. */
static const char *tag_of(const char *program)
{
	static char tag[1024];
	int error;
	dtrace_hdl_t *dtp = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &error);
	const char *message;

	assert_non_null(dtp);
	assert_int_equal(dtrace_setopt(dtp, "btfpath", "/nonexistent"), 0);
	assert_int_equal(dtrace_setopt(dtp, "errtags", NULL), 0);
	tag[0] = '\0';
	if (!dtrace_program_strcompile(dtp, program, DTRACE_PROBESPEC_NAME,
				       DTRACE_C_NOLIBS | DTRACE_C_ZDEFS, 0, NULL)) {
		message = dtrace_errmsg(dtp, dtrace_errno(dtp));
		if (sscanf(message, "[%1000[A-Z_0-9]", tag) != 1)
			snprintf(tag, sizeof(tag), "%s", message);
	}
	dtrace_close(dtp);
	return tag;
}

/* Compile before, the text of each rule, and after. */
static void check(const struct rule *rules, const char *before, const char *after)
{
	int wrong = 0;

	for (; rules->program; rules++) {
		const char *expected = rules->tag ? rules->tag : "", *got;
		char program[4096];

		snprintf(program, sizeof(program), "%s%s%s", before, rules->program, after);
		got = tag_of(program);
		if (strcmp(got, expected) != 0) {
			print_error("%s\n\texpected '%s', got '%s'\n", program, expected, got);
			wrong++;
		}
	}
	assert_int_equal(wrong, 0);
}

static void steps_of_lquantize(void **state)
{
	static const struct rule rules[] = {
		{NULL, "1, -2147483648, -2147483647"},
		{"D_LQUANT_BASEVAL", "1, -2147483649, -2147483647"},
		{NULL, "1, 2147483646, 2147483647"},
		{"D_LQUANT_BASEVAL", "1, 2147483648, 2147483649"},
		{"D_LQUANT_LIMVAL", "1, 0, 2147483648, 65535"},
		{"D_LQUANT_LIMVAL", "1, -2147483648, -2147483649"},
		{NULL, "1, 0, 2147483647, 65535"},
		{NULL, "1, 0, 65535"},
		{"D_LQUANT_STEPSMALL", "1, 0, 65536"},
		{NULL, "1, 0, 131070, 2"},
		{"D_LQUANT_STEPSMALL", "1, 0, 131072, 2"},
		{NULL, "1, 0, 65535, 65535"},
		{"D_LQUANT_STEPVAL", "1, 0, 65536, 65536"},
		{NULL, "1, -5, 5, 10"},
		{"D_LQUANT_STEPLARGE", "1, -5, 5, 11"},
		{"D_LQUANT_STEPLARGE", "1, 5, 5"},
		{"D_LQUANT_MISMATCH", "1, 5, 4"},
		{"D_LQUANT_STEPTYPE", "1, 0, 10, 0"},
		{NULL, "1, 0, 10, 1"},
		{NULL, "1, 0, 10, 1, 7"},
		{"D_PROTO_ARG", "1, 0, 10, 1, \"7\""},
		{"D_PROTO_LEN", "1, 0, 10, 1, 7, 7"},
		{"D_PROTO_LEN", "1, 0"},
		{NULL, NULL},
	};

	(void)state;
	check(rules, "BEGIN { @ = lquantize(", "); }");
}

static void steps_of_llquantize(void **state)
{
	static const struct rule rules[] = {
		{NULL, "1, 2, 0, 1, 2"},
		{"D_LLQUANT_FACTORSMALL", "1, 1, 0, 1, 2"},
		{"D_LLQUANT_FACTORSMALL", "1, 0, 0, 1, 2"},
		{"D_LLQUANT_FACTORVAL", "1, -1, 0, 1, 2"},
		{NULL, "1, 65535, 0, 1, 65535"},
		{"D_LLQUANT_FACTORVAL", "1, 65536, 0, 1, 65535"},
		{NULL, "1, 2, 60, 61, 2"},
		{"D_LLQUANT_MAGRANGE", "1, 2, 61, 61, 2"},
		{"D_LLQUANT_MAGTOOBIG", "1, 2, 61, 62, 2"},
		{NULL, "1, 10, 0, 17, 10"},
		{"D_LLQUANT_MAGTOOBIG", "1, 10, 0, 18, 10"},
		{"D_LLQUANT_MAGRANGE", "1, 2, 65535, 3, 2"},
		{"D_LLQUANT_LOWVAL", "1, 2, 65536, 3, 2"},
		{"D_LLQUANT_MAGTOOBIG", "1, 2, 0, 65535, 2"},
		{"D_LLQUANT_HIGHVAL", "1, 2, 0, 65536, 2"},
		{"D_LLQUANT_HIGHVAL", "1, 2, 0, -1, 2"},
		{"D_LLQUANT_FACTORNSTEPS", "1, 10, 0, 3, 9"},
		{NULL, "1, 10, 0, 3, 20"},
		{"D_LLQUANT_FACTOREVEN", "1, 10, 0, 3, 15"},
		{"D_LLQUANT_FACTOREVEN", "1, 10, 0, 3, 60"},
		{NULL, "1, 10, 0, 3, 1000"},
		{NULL, "1, 2, 0, 1, 32768"},
		{"D_LLQUANT_FACTOREVEN", "1, 2, 0, 1, 65535"},
		{"D_LLQUANT_NSTEPVAL", "1, 2, 0, 1, 65536"},
		{"D_LLQUANT_NSTEPVAL", "1, 2, 0, 1, -1"},
		{NULL, "1, 10, 0, 3, 10, pid"},
		{"D_PROTO_ARG", "1, 10, 0, 3, 10, \"7\""},
		{"D_PROTO_LEN", "1, 10, 0, 3"},
		{NULL, NULL},
	};

	(void)state;
	check(rules, "BEGIN { @ = llquantize(", "); }");
}

/* The same parameters are no other ones, and steps are compared with the former limit. */
static void parameters_again(void **state)
{
	static const struct rule rules[] = {
		{NULL, "@ = lquantize(1, 0, 10, 2); @ = lquantize(2, 0, 10, 2);"},
		{NULL, "@ = lquantize(1, 0, 10, 2); @ = lquantize(2, 0, 11, 2);"},
		{"D_LQUANT_MATCHLIM", "@ = lquantize(1, 0, 10, 2); @ = lquantize(2, 0, 12, 2);"},
		{"D_LQUANT_MATCHSTEP", "@ = lquantize(1, 0, 10, 2); @ = lquantize(2, 0, 10, 5);"},
		{"D_LQUANT_MATCHBASE", "@ = lquantize(1, 0, 10, 2); @ = lquantize(2, -2, 10, 2);"},
		{NULL, "@ = llquantize(1, 2, 0, 3, 2); @ = llquantize(7, 2, 0, 3, 2);"},
		{NULL, "@ = quantize(1); @ = quantize(2, 3);"},
		{"D_AGG_REDEF", "@ = quantize(1); @ = max(1);"},
		{"D_AGG_REDEF", "@ = quantize(1); @ = lquantize(1, 0, 10);"},
		{NULL, "@a[1] = count(); @b[1, 2] = count();"},
		{"D_PROTO_LEN", "@a[1] = count(); @a[1, 2] = count();"},
		{"D_PROTO_ARG", "@a[1] = count(); @a[\"x\"] = count();"},
		{NULL, NULL},
	};

	(void)state;
	check(rules, "BEGIN { ", " }");
}

static void sizes_of_actions(void **state)
{
	static const struct rule rules[] = {
		{NULL, "ustack(1)"},
		{"D_USTACK_FRAMES", "ustack(0)"},
		{"D_USTACK_FRAMES", "ustack(-1)"},
		{NULL, "ustack(1024)"},
		{"D_USTACK_FRAMES", "ustack(1025)"},
		{NULL, "ustack(1, 0)"},
		{"D_USTACK_STRSIZE", "ustack(1, -1)"},
		{NULL, "jstack(1, 65536)"},
		{"D_USTACK_STRSIZE", "jstack(1, 65537)"},
		{"D_USTACK_PROTO", "jstack(1, 2, 3)"},
		{NULL, "jstack()"},
		{NULL, "stack()"},
		{NULL, "stack(1)"},
		{"D_STACK_SIZE", "stack(0)"},
		{NULL, "stack(1024)"},
		{"D_STACK_SIZE", "stack(1025)"},
		{"D_STACK_PROTO", "stack(1, 2)"},
		{NULL, "tracemem(1, 1)"},
		{"D_TRACEMEM_SIZE", "tracemem(1, 0)"},
		{NULL, "tracemem(1, 65536)"},
		{"D_TRACEMEM_SIZE", "tracemem(1, 65537)"},
		{NULL, "tracemem(1, 8, pid)"},
		{"D_TRACEMEM_ARGS", "tracemem(1, 8, pid, 1)"},
		{"D_PROTO_LEN", "tracemem(1)"},
		{NULL, "printm(1, memref(0, 8))"},
		{"D_PRINTM_SIZE", "printm(0, memref(0, 8))"},
		{NULL, "printm(65536, memref(0, 8))"},
		{"D_PRINTM_SIZE", "printm(65537, memref(0, 8))"},
		{NULL, "@a = count(); trunc(@a)"},
		{NULL, "@a = count(); trunc(@a, -1)"},
		{"D_TRUNC_PROTO", "@a = count(); trunc(@a, 1, 2)"},
		{"D_CLEAR_PROTO", "@a = count(); clear()"},
		{NULL, "@a = count(); normalize(@a, pid)"},
		{"D_NORMALIZE_PROTO", "@a = count(); normalize(@a, 1, 2)"},
		{"D_NORMALIZE_PROTO", "@a = count(); denormalize()"},
		{NULL, NULL},
	};

	(void)state;
	check(rules, "BEGIN { ", "; }");
}

static void sizes_of_types(void **state)
{
	static const struct rule rules[] = {
		{NULL, "char x[1]"},
		{"D_DECL_ARRSUB", "char x[0]"},
		{"D_DECL_ARRSUB", "char x[-1]"},
		{NULL, "char x[16777216]"},
		{"D_DECL_ARRBIG", "char x[16777217]"},
		{NULL, "int x[4194304]"},
		{"D_DECL_ARRBIG", "int x[4194305]"},
		{NULL, "int x[2048][2048]"},
		{"D_DECL_ARRBIG", "int x[2048][2049]"},
		{"D_DECL_ARRBIG", "char x[4294967296]"},
		{NULL, "string x[65536]"},
		{"D_DECL_ARRBIG", "string x[65537]"},
		{NULL, "struct { char a[16777216]; char b; } *x"},
		{"D_DECL_ARRBIG", "struct { char a[16777216]; char b, c; } *x"},
		{NULL, "struct { char x : 8; short y : 16; int z : 32; long w : 64; } x"},
		{"D_DECL_BFSIZE", "struct { char x : 9; } x"},
		{"D_DECL_BFSIZE", "struct { short x : 17; } x"},
		{"D_DECL_BFSIZE", "struct { int x : 33; } x"},
		{"D_DECL_BFSIZE", "struct { unsigned long long x : 65; } x"},
		{NULL, "struct { int a : 1; int : 0; int : 3; } x"},
		{"D_DECL_BFCONST", "struct { int a : 0; } x"},
		{"D_DECL_BFCONST", "struct { int : -1; } x"},
		{NULL, "struct { enum { A, B } a : 2; _Bool b : 1; } x"},
		{"D_DECL_BFTYPE", "struct { string a : 2; } x"},
		{"D_DECL_BFTYPE", "struct { float a : 2; } x"},
		{NULL, "enum { A = 2147483647, B = -2147483648 } x"},
		{"D_DECL_ENOFLOW", "enum { A = 2147483647, B } x"},
		{"D_DECL_ENOFLOW", "enum { A = 2147483648 } x"},
		{"D_DECL_ENOFLOW", "enum { A = -2147483649 } x"},
		{NULL, "int x[int, int, int, int, int, int, int, int]"},
		{NULL, NULL},
	};

	(void)state;
	check(rules, "", "; BEGIN { exit(0); }");
}

/* Append a text n times. */
static void append(char *to, const char *text, int n)
{
	for (to += strlen(to); n > 0; n--)
		to = stpcpy(to, text);
}

/* Constructs within constructs are refused before the stack ends. */
static void depths(void **state)
{
	static const struct {
		const char *before, *open, *middle, *close, *after;
	} nested[] = {
		{"BEGIN { trace(", "(", "1", ")", "); }"},
		{"BEGIN { trace(", "~", "x", "", "); }"},
		{"BEGIN { ", "x = ", "1", "", "; }"},
		{"BEGIN { trace(", "x ? 0 : ", "1", "", "); }"},
		{"BEGIN { trace(", "x ? ", "1", " : 0", "); }"},
		{"BEGIN { trace(", "tolower(", "\"\"", ")", "); }"},
		{"BEGIN { ", "if (x) ", "exit(0)", "", "; }"},
		{"BEGIN { ", "{ ", "exit(0);", " }", " }"},
		{"int y", "[1]", "", "", "; BEGIN { exit(0); }"},
		{"int ", "(", "y", ")", "; BEGIN { exit(0); }"},
		{"", "struct { ", "int y;", " } z;", " BEGIN { exit(0); }"},
		{"int y(", "int (", "", ")", "); BEGIN { exit(0); }"},
	};
	char text[8192];

	(void)state;
	for (size_t i = 0; i < sizeof(nested) / sizeof(nested[0]); i++)
		for (int n = 30; n <= 230; n += 200) {
			snprintf(text, sizeof(text), "long x; %s", nested[i].before);
			append(text, nested[i].open, n);
			append(text, nested[i].middle, 1);
			append(text, nested[i].close, n);
			append(text, nested[i].after, 1);
			if (strcmp(tag_of(text), n == 30 ? "" : "D_DEPTH") != 0)
				fail_msg("%s: '%s'", text, tag_of(text));
		}
	for (int n = 64; n <= 65; n++) {
		strcpy(text, "int ");
		append(text, "*", n);
		append(text, "x; BEGIN { exit(0); }", 1);
		assert_string_equal(tag_of(text), n == 64 ? "" : "D_DEPTH");
	}
}

/* Constructs one after the other have no limit. */
static void sequences(void **state)
{
	char text[16384];

	(void)state;
	strcpy(text, "long x; int a[1]; BEGIN {");
	append(text, " trace((x) - -x + (x ? 1 : 2) + a[0] + strlen(\"\")); x = x = 1;", 110);
	append(text, " }", 1);
	assert_string_equal(tag_of(text), "");
	strcpy(text, "long x; BEGIN {");
	append(text, " { if (x) { x = 1; } else x = 2; }", 210);
	append(text, " }", 1);
	assert_string_equal(tag_of(text), "");
	strcpy(text, "int x");
	for (int i = 0; i < 220; i++)
		sprintf(text + strlen(text), ", *a%d, b%d[2], c%d(int)", i, i, i);
	append(text, "; BEGIN { exit(0); }", 1);
	assert_string_equal(tag_of(text), "");
}

static void words_of_types(void **state)
{
	static const struct rule rules[] = {
		{NULL, "char"},
		{NULL, "signed char"},
		{NULL, "char unsigned"},
		{NULL, "short"},
		{NULL, "short int"},
		{NULL, "unsigned int short"},
		{NULL, "signed"},
		{NULL, "unsigned"},
		{NULL, "long"},
		{NULL, "int long unsigned"},
		{NULL, "long long"},
		{NULL, "long unsigned int long"},
		{NULL, "float"},
		{NULL, "double"},
		{NULL, "long double"},
		{NULL, "double long"},
		{NULL, "_Bool"},
		{NULL, "const int volatile"},
		{"D_DECL_COMBO", "char int"},
		{"D_DECL_COMBO", "int int"},
		{"D_DECL_COMBO", "float double"},
		{"D_DECL_COMBO", "int double"},
		{"D_DECL_COMBO", "void int"},
		{"D_DECL_COMBO", "_Bool char"},
		{"D_DECL_COMBO", "float float"},
		{"D_DECL_COMBO", "short short"},
		{"D_DECL_COMBO", "long long long"},
		{"D_DECL_COMBO", "long short"},
		{"D_DECL_COMBO", "signed unsigned"},
		{"D_DECL_COMBO", "signed signed int"},
		{"D_DECL_COMBO", "unsigned unsigned"},
		{"D_DECL_COMBO", "long float"},
		{"D_DECL_COMBO", "short float"},
		{"D_DECL_COMBO", "short double"},
		{"D_DECL_CHARATTR", "long char"},
		{"D_DECL_CHARATTR", "short char"},
		{"D_DECL_VOIDATTR", "long void"},
		{"D_DECL_VOIDATTR", "short void"},
		{"D_DECL_VOIDATTR", "signed void"},
		{"D_DECL_SIGNINT", "signed float"},
		{"D_DECL_SIGNINT", "unsigned double"},
		{"D_DECL_SIGNINT", "unsigned _Bool"},
		{"D_DECL_SIGNINT", "unsigned long double"},
		{"D_DECL_LONGINT", "long long double"},
		{"D_DECL_LONGINT", "long _Bool"},
		{"D_DECL_LONGINT", "short _Bool"},
		{"D_DECL_LONGINT", "long struct s"},
		{"D_DECL_SIGNINT", "unsigned string"},
		{"D_DECL_COMBO", "string int"},
		{"D_DECL_COMBO", "string string"},
		{"D_DECL_SIGNINT", "string signed"},
		{"D_DECL_LONGINT", "pid_t short"},
		{"D_DECL_COMBO", "struct s struct s"},
		{"D_DECL_COMBO", "enum { A } union { int x; }"},
		{NULL, NULL},
	};

	(void)state;
	check(rules, "struct s { int x; }; struct { ", " x; } *y; BEGIN { exit(0); }");
}

static void storage_classes(void **state)
{
	static const struct rule rules[] = {
		{NULL, "int x;"},
		{NULL, "self x;"},
		{NULL, "this x, y;"},
		{NULL, "self x[int];"},
		{NULL, "extern x;"},
		{"D_SYNTAX", "typedef x;"},
		{"D_DECL_BADCLASS", "static int x;"},
		{"D_DECL_BADCLASS", "auto x;"},
		{"D_DECL_BADCLASS", "register int x;"},
		{"D_DECL_CLASS", "self this int x;"},
		{"D_DECL_CLASS", "self self int x;"},
		{"D_DECL_CLASS", "extern static int x;"},
		{"D_DECL_CLASS", "inline inline int x = 1;"},
		{"D_DECL_CLASS", "typedef inline int x = 1;"},
		{"D_DECL_CLASS", "int self this x;"},
		{NULL, "int self x;"},
		{NULL, "static inline int f(int);"},
		{NULL, "extern inline int f(int);"},
		{NULL, "extern int x[];"},
		{"D_DECL_ARRNULL", "int x[];"},
		{"D_DECL_LOCASSC", "this int x[int];"},
		{"D_DECL_DYNOBJ", "typedef int x[int];"},
		{"D_DECL_DYNOBJ", "int x[int][int];"},
		{NULL, "int x[int][4];"},
		{"D_DECL_ARRNULL", "int x[int][];"},
		{"D_DECL_USELESS", "int;"},
		{"D_DECL_USELESS", "int *;"},
		{NULL, "struct s; enum e { A }; union u { int a; };"},
		{NULL, "struct s *x;"},
		{"D_DECL_USELESS", "struct s { int a; } *;"},
		{"D_DECL_INCOMPLETE", "struct s x;"},
		{"D_DECL_VOIDOBJ", "void x;"},
		{"D_DECL_CLASS", "int *self x;"},
		{"D_DECL_CLASS", "struct { static int x; } y;"},
		{NULL, "int f(register int x);"},
		{"D_DECL_PARMCLASS", "int f(extern int x);"},
		{"D_DECL_PARMCLASS", "inline int f[self int x] = 1;"},
		{NULL, "int f(void), g(int, ...), h();"},
		{"D_DECL_PROTO_VARARGS", "int f(..., int);"},
		{"D_DECL_PROTO_VARARGS", "int f[int, ...];"},
		{"D_DECL_PROTO_VOID", "int f(void, int);"},
		{"D_DECL_PROTO_VOID", "int f(int, void);"},
		{"D_DECL_PROTO_NAME", "int f(void x);"},
		{"D_DECL_PROTO_NAME", "int f(int x, char y, int x);"},
		{NULL, "int f(int, int, int x, int);"},
		{"D_DECL_PROTO_NAME", "int x[int k];"},
		{"D_DECL_PROTO_TYPE", "int x[void];"},
		{"D_DECL_PROTO_TYPE", "int f(int x[int]);"},
		{"D_DECL_COMBO", "int f(int)[2];"},
		{"D_DECL_COMBO", "int f(int)(int);"},
		{"D_DECL_COMBO", "typedef int a_t[2]; a_t f(void);"},
		{NULL, "int (*f(int))[2], (*g(void))(int);"},
		{"D_DECL_ARRTYPE", "void x[2];"},
		{"D_DECL_ARRTYPE", "struct s x[2];"},
		{NULL, "struct s *x[2]; string y[2];"},
		{NULL, NULL},
	};

	(void)state;
	check(rules, "", " BEGIN { exit(0); }");
}

static void second_declarations(void **state)
{
	static const struct rule rules[] = {
		{NULL, "int x; int x;"},
		{NULL, "extern int x; int x;"},
		{"D_DECL_IDRED", "int x; long x;"},
		{"D_DECL_IDRED", "int x; unsigned x;"},
		{"D_DECL_IDRED", "int x; int x[int];"},
		{"D_DECL_IDRED", "int x[int]; int x[long];"},
		{"D_DECL_IDRED", "int x[int]; int x[int, int];"},
		{"D_DECL_IDRED", "int x[int]; long x[int];"},
		{NULL, "int x[int, string]; int x[int, string];"},
		{NULL, "int x; self int x; this long x;"},
		{"D_DECL_IDRED", "int pid;"},
		{"D_DECL_IDRED", "int trace;"},
		{"D_DECL_IDRED", "int x; inline int x = 1;"},
		{"D_DECL_IDRED", "inline int x = 1; inline int x = 1;"},
		{"D_DECL_IDRED", "int x; typedef int x;"},
		{"D_DECL_IDRED", "typedef int t; typedef int t;"},
		{NULL, "typedef int pid_t; pid_t x;"},
		{NULL, "typedef long uid_t; uid_t x;"},
		{"D_DECL_TYPERED", "struct s { int x; }; struct s { int x; };"},
		{NULL, "struct s; struct s { int x; }; struct s; struct s y;"},
		{NULL, "struct s { int x; }; union s { int x; }; enum s { A };"},
		{"D_UNKNOWN", "struct s { int x; char x; };"},
		{"D_UNKNOWN", "struct s { struct { int x; }; int x; };"},
		{NULL, "struct s { int x; struct { int x; } y; };"},
		{"D_UNKNOWN", "enum e { A, A };"},
		{"D_DECL_IDRED", "enum e { A }; enum f { A };"},
		{"D_DECL_IDRED", "int A; enum e { A };"},
		{"D_DECL_MNAME", "struct s { int; };"},
		{"D_DECL_MNAME", "struct s { struct t { int y; }; };"},
		{NULL, "struct s { struct { int y; }; union { int z, w; }; };"},
		{NULL, NULL},
	};

	(void)state;
	check(rules, "", " BEGIN { exit(0); }");
}

/* One variable of each kind of type. */
#define VARIABLES                                                                             \
	"struct s { int m; int b : 3; } st, *sp; struct t { int m; } tt, *tp; "               \
	"union u { int m; } un; enum e { A, B } en; enum f { C } ef; int i; long l; "         \
	"unsigned u; char c; unsigned char uc; string str; int *ip; unsigned *up; long *lp; " \
	"void *vp; char *cp; unsigned char *ucp; int ia[2]; int ib[3]; char ca[4]; "          \
	"double d; int (*fp)(int); int (*gp)(long); int (*hp)(int, ...); "                    \
	"struct hidden *hid; struct s sa[2]; int **ipp; int assoc[int]; "                     \
	"typedef int int_t; int_t it; typedef struct s s_t; s_t *stp; "

static void assignments(void **state)
{
	static const struct rule rules[] = {
		{NULL, "i = l"},
		{NULL, "i = c"},
		{NULL, "i = en"},
		{NULL, "en = i"},
		{NULL, "en = ef"},
		{NULL, "it = i"},
		{"D_OP_INCOMPAT", "i = ip"},
		{"D_OP_INCOMPAT", "i = str"},
		{"D_OP_INCOMPAT", "i = st"},
		{"D_OP_INCOMPAT", "i = d"},
		{"D_OP_INCOMPAT", "i = ia"},
		{"D_OP_INCOMPAT", "d = i"},
		{NULL, "d = d"},
		{"D_OP_INCOMPAT", "ip = i"},
		{"D_OP_INCOMPAT", "ip = 1"},
		{NULL, "ip = 0"},
		{NULL, "ip = vp"},
		{NULL, "vp = ip"},
		{NULL, "vp = sp"},
		{NULL, "ip = up"},
		{NULL, "up = ip"},
		{"D_OP_INCOMPAT", "ip = lp"},
		{"D_OP_INCOMPAT", "ip = cp"},
		{"D_OP_INCOMPAT", "ip = sp"},
		{"D_OP_INCOMPAT", "ip = ipp"},
		{"D_OP_INCOMPAT", "ip = str"},
		{"D_OP_INCOMPAT", "ip = ca"},
		{NULL, "ip = ia"},
		{NULL, "ip = ib"},
		{NULL, "cp = ca"},
		{NULL, "cp = str"},
		{NULL, "ucp = cp"},
		{NULL, "ucp = str"},
		{"D_OP_INCOMPAT", "sp = tp"},
		{NULL, "sp = sa"},
		{NULL, "sp = stp"},
		{"D_OP_INCOMPAT", "sp = hid"},
		{NULL, "fp = fp"},
		{"D_OP_INCOMPAT", "fp = gp"},
		{"D_OP_INCOMPAT", "fp = hp"},
		{NULL, "st = st"},
		{NULL, "st = *stp"},
		{"D_OP_INCOMPAT", "st = tt"},
		{"D_OP_INCOMPAT", "st = un"},
		{"D_OP_INCOMPAT", "st = 0"},
		{"D_OP_INCOMPAT", "st = sp"},
		{"D_OP_ARRFUN", "ia = ia"},
		{NULL, "str = str"},
		{NULL, "str = cp"},
		{NULL, "str = ca"},
		{NULL, "str = ucp"},
		{NULL, "str = 0"},
		{"D_OP_INCOMPAT", "str = 1"},
		{"D_OP_INCOMPAT", "str = i"},
		{"D_OP_INCOMPAT", "str = ip"},
		{"D_OP_INCOMPAT", "str = vp"},
		{"D_OP_INCOMPAT", "str = st"},
		{"D_IDENT_BADREF", "assoc = 1"},
		{NULL, "assoc[1] = 1"},
		{NULL, "assoc['a'] = i"},
		{"D_PROTO_ARG", "assoc[str] = i"},
		{"D_PROTO_LEN", "assoc[1, 2] = i"},
		{"D_OP_WRITE", "pid = 1"},
		{"D_OP_WRITE", "pid++"},
		{"D_OP_LVAL", "1 = i"},
		{"D_OP_LVAL", "i + 1 = i"},
		{"D_OP_LVAL", "str[0] = 'a'"},
		{"D_OP_LVAL", "*str = 'a'"},
		{"D_OP_LVAL", "(i, i) = 1"},
		{NULL, "ia[1] = 1"},
		{"D_ARR_BADREF", "ia[2] = 1"},
		{"D_ARR_BADREF", "ia[-1] = 1"},
		{NULL, "sa[1].m = 1"},
		{"D_ARR_BADREF", "sa[2].m = 1"},
		{NULL, "ip[2] = 1"},
		{NULL, "st.b = 1"},
		{NULL, "sp->b = 1"},
		{"D_IDENT_UNDEF", "*fresh = 1"},
		{NULL, NULL},
	};

	(void)state;
	check(rules, VARIABLES "BEGIN { ", "; }");
}

static void operands(void **state)
{
	static const struct rule rules[] = {
		{NULL, "i * en + c % u - l / 3"},
		{"D_OP_ARITH", "i * ip"},
		{"D_OP_ARITH", "d * i"},
		{"D_OP_ARITH", "i / d"},
		{"D_OP_INT", "i % d"},
		{"D_OP_INT", "i & ip"},
		{"D_OP_INT", "i << ip"},
		{"D_OP_INT", "ip >> 1"},
		{"D_OP_INT", "i | str"},
		{"D_OP_INCOMPAT", "i + d"},
		{"D_OP_INCOMPAT", "d - i"},
		{NULL, "ip + i"},
		{NULL, "i + ip"},
		{NULL, "ip - i"},
		{"D_OP_INCOMPAT", "i - ip"},
		{"D_OP_INCOMPAT", "ip + ip"},
		{NULL, "ip - ip"},
		{NULL, "ip - up"},
		{"D_OP_INCOMPAT", "ip - lp"},
		{NULL, "ia - ip"},
		{"D_OP_INCOMPAT", "ip + d"},
		{"D_OP_INCOMPAT", "vp + 1"},
		{"D_OP_INCOMPAT", "vp - vp"},
		{"D_OP_VFPTR", "fp + 1"},
		{"D_OP_INCOMPLETE", "hid + 1"},
		{"D_OP_INCOMPLETE", "hid - hid"},
		{NULL, "str + str"},
		{NULL, "str + ca"},
		{NULL, "cp + str"},
		{"D_OP_INCOMPAT", "str - str"},
		{"D_OP_INCOMPAT", "str + i"},
		{"D_OP_INCOMPAT", "ip + str"},
		{NULL, "str[1]"},
		{"D_OP_INCOMPAT", "str[str]"},
		{NULL, "1[ip]"},
		{"D_DEREF_NONPTR", "i[i]"},
		{NULL, "i == en"},
		{"D_OP_INCOMPAT", "i == ip"},
		{NULL, "ip == 0"},
		{NULL, "0 == ip"},
		{"D_OP_INCOMPAT", "ip == 1"},
		{NULL, "ip == up"},
		{"D_OP_INCOMPAT", "ip == lp"},
		{NULL, "ip < vp"},
		{NULL, "ia >= ip"},
		{"D_OP_INCOMPAT", "d == d"},
		{"D_OP_INCOMPAT", "st == st"},
		{NULL, "str == str"},
		{NULL, "str < ca"},
		{NULL, "cp > str"},
		{NULL, "str == 0"},
		{NULL, "0 != str"},
		{"D_OP_INCOMPAT", "str == 1"},
		{"D_OP_INCOMPAT", "str == i"},
		{"D_OP_INCOMPAT", "str == ip"},
		{NULL, "i && ip || ia ^^ !cp"},
		{"D_OP_SCALAR", "i && str"},
		{"D_OP_SCALAR", "st || i"},
		{"D_OP_SCALAR", "d ^^ i"},
		{"D_OP_SCALAR", "!str"},
		{"D_OP_SCALAR", "!d"},
		{NULL, "!ip + !ia"},
		{"D_OP_INT", "~ip"},
		{"D_OP_ARITH", "-ip"},
		{"D_OP_ARITH", "+str"},
		{NULL, "-c + ~en"},
		{NULL, "i++ + --l"},
		{NULL, "ip++"},
		{"D_OP_SCALAR", "str++"},
		{"D_OP_SCALAR", "d--"},
		{"D_OP_VFPTR", "vp++"},
		{NULL, "*ip + *ia + **ipp"},
		{NULL, "*str"},
		{"D_DEREF_NONPTR", "*i"},
		{"D_DEREF_VOID", "*vp"},
		{"D_DEREF_FUNC", "*fp"},
		{"D_OP_INCOMPLETE", "hid->m"},
		{NULL, "st.m + sp->m + sa[1].m + (*stp).m"},
		{"D_OP_SOU", "sp.m"},
		{"D_OP_PTR", "st->m"},
		{"D_OP_SOU", "ip->m"},
		{"D_TYPE_MEMBER", "st.n"},
		{NULL, "&st.m"},
		{NULL, "&ia[1]"},
		{NULL, "&*ip"},
		{NULL, "&sp->m"},
		{"D_ADDROF_BITFIELD", "&st.b"},
		{"D_ADDROF_VAR", "&i"},
		{"D_ADDROF_VAR", "&st"},
		{"D_ADDROF_LVAL", "&(i + 1)"},
		{"D_ADDROF_LVAL", "&1"},
		{NULL, NULL},
	};

	(void)state;
	check(rules, VARIABLES "BEGIN { x = (", "); }");
}

static void choices(void **state)
{
	static const struct rule rules[] = {
		{NULL, "i ? i : l"},
		{NULL, "ip ? c : en"},
		{NULL, "ia ? 1 : 2"},
		{"D_OP_SCALAR", "str ? 1 : 2"},
		{"D_OP_SCALAR", "d ? 1 : 2"},
		{"D_OP_INCOMPAT", "i ? i : ip"},
		{"D_OP_INCOMPAT", "i ? ip : i"},
		{"D_OP_INCOMPAT", "i ? ip : 1"},
		{NULL, "i ? ip : 0"},
		{NULL, "i ? 0 : ip"},
		{NULL, "i ? ip : vp"},
		{NULL, "i ? ip : up"},
		{NULL, "i ? ia : ip"},
		{"D_OP_INCOMPAT", "i ? ip : lp"},
		{NULL, "i ? str : ca"},
		{NULL, "i ? cp : str"},
		{NULL, "i ? str : 0"},
		{NULL, "i ? 0 : str"},
		{"D_OP_INCOMPAT", "i ? str : 1"},
		{"D_OP_INCOMPAT", "i ? 1 : str"},
		{"D_OP_INCOMPAT", "i ? str : ip"},
		{NULL, "i ? st : st"},
		{"D_OP_INCOMPAT", "i ? st : tt"},
		{"D_OP_INCOMPAT", "i ? st : 0"},
		{NULL, "i ? d : d"},
		{"D_OP_INCOMPAT", "i ? d : i"},
		{NULL, NULL},
	};

	(void)state;
	check(rules, VARIABLES "BEGIN { x = ", "; }");
}

static void casts(void **state)
{
	static const struct rule rules[] = {
		{NULL, "(int)l"},
		{NULL, "(char)ip"},
		{NULL, "(int)ia"},
		{NULL, "(int *)i"},
		{NULL, "(int *)ca"},
		{NULL, "(long)str"},
		{NULL, "(char *)str"},
		{NULL, "(_Bool)ip"},
		{NULL, "(enum e)i"},
		{NULL, "(int *)&st.m"},
		{"D_CAST_INVAL", "(int)st"},
		{"D_CAST_INVAL", "(int *)st"},
		{"D_CAST_INVAL", "(int)d"},
		{"D_CAST_INVAL", "(double)i"},
		{"D_CAST_INVAL", "(struct s)i"},
		{"D_CAST_INVAL", "(struct s)tt"},
		{NULL, "(struct s)st"},
		{NULL, "(s_t)st"},
		{"D_CAST_INVAL", "(struct hidden)i"},
		{"D_CAST_INVAL", "(enum hidden)i"},
		{NULL, "(string)cp"},
		{NULL, "(string)ca"},
		{NULL, "(string)i"},
		{NULL, "(string)ip"},
		{"D_CAST_INVAL", "(string)st"},
		{"D_CAST_INVAL", "(string)ia"},
		{"D_CAST_INVAL", "(string)d"},
		{NULL, "stringof cp"},
		{NULL, "stringof(i)"},
		{"D_STRINGOF_TYPE", "stringof(st)"},
		{"D_STRINGOF_TYPE", "stringof(ia)"},
		{"D_STRINGOF_TYPE", "stringof(d)"},
		{"D_CAST_INVAL", "(int [2])ia"},
		{NULL, "sizeof (st) + sizeof i + sizeof (int [3]) + sizeof (string)"},
		{"D_SIZEOF_TYPE", "sizeof (void)"},
		{"D_SIZEOF_TYPE", "sizeof (struct hidden)"},
		{"D_SIZEOF_TYPE", "sizeof (int (int))"},
		{"D_SIZEOF_TYPE", "sizeof *hid"},
		{"D_SIZEOF_BITFIELD", "sizeof st.b"},
		{NULL, "offsetof(struct s, m)"},
		{"D_OFFSETOF_BITFIELD", "offsetof(struct s, b)"},
		{"D_UNKNOWN", "offsetof(struct s, n)"},
		{"D_OFFSETOF_TYPE", "offsetof(int, m)"},
		{"D_OFFSETOF_TYPE", "offsetof(struct hidden, m)"},
		{"D_OFFSETOF_TYPE", "offsetof(struct s, m.m)"},
		{NULL, NULL},
	};

	(void)state;
	check(rules, VARIABLES "BEGIN { x = ", "; }");
}

static void constants(void **state)
{
	static const struct rule rules[] = {
		{NULL, "'abcdefgh'"},
		{"D_CHR_OFLOW", "'abcdefghi'"},
		{"D_CHR_NULL", "''"},
		{"D_ESC_CHR", "'\\x'"},
		{NULL, "'\\x4' + '\\177'"},
		{NULL, "18446744073709551615"},
		{"D_INT_OFLOW", "18446744073709551616"},
		{NULL, "0xffffffffffffffffULL"},
		{"D_INT_OFLOW", "0x10000000000000000"},
		{NULL, "01777777777777777777777"},
		{"D_INT_OFLOW", "02000000000000000000000"},
		{"D_INT_DIGIT", "08"},
		{"D_SYNTAX", "0x"},
		{"D_SYNTAX", "12ab"},
		{NULL, "1uLL"},
		{"D_SYNTAX", "1uuLL"},
		{"D_SYNTAX", "1.5"},
		{"D_DIV_ZERO", "1 / 0"},
		{"D_DIV_ZERO", "1 % (2 - 2)"},
		{NULL, "0 / 1"},
		{NULL, NULL},
	};

	(void)state;
	check(rules, "BEGIN { x = ", "; }");
}

static void formats(void **state)
{
	static const struct rule rules[] = {
		{NULL, "%d%i%u%o%x%X%c%p%%\", i, l, u, c, en, i, 'x', ip"},
		{NULL, "%s%S%ws\", str, ca, cp"},
		{NULL, "%e%E%f%g%G\", d, d, d, d, d"},
		{NULL, "%a%A%p\", i, ip, ip"},
		{NULL, "%k%k%a%A\", ustack(), jstack(), usym(i), umod(i)"},
		{NULL, "%T%Y%C%wc\", i, l, c, 'x'"},
		{"D_PRINTF_ARG_TYPE", "%d\", ip"},
		{"D_PRINTF_ARG_TYPE", "%p\", str"},
		{"D_PRINTF_ARG_TYPE", "%s\", i"},
		{"D_PRINTF_ARG_TYPE", "%s\", ip"},
		{"D_PRINTF_ARG_TYPE", "%f\", i"},
		{"D_PRINTF_ARG_TYPE", "%d\", d"},
		{"D_PRINTF_ARG_TYPE", "%a\", str"},
		{"D_PRINTF_ARG_TYPE", "%k\", i"},
		{"D_PRINTF_ARG_TYPE", "%d\", ustack()"},
		{"D_PRINTF_ARG_TYPE", "%d\", st"},
		{NULL, "%65536d|%.65536d\", i, i"},
		{"D_SYNTAX", "%65537d\", i"},
		{"D_SYNTAX", "%.65537d\", i"},
		{NULL, "%hhd%hd%ld%lld%Lf\", i, i, i, i, d"},
		{"D_SYNTAX", "%hld\", i"},
		{"D_SYNTAX", "%lhd\", i"},
		{"D_SYNTAX", "%LLd\", i"},
		{"D_SYNTAX", "%hhhd\", i"},
		{"D_SYNTAX", "%\""},
		{"D_SYNTAX", "%5%\""},
		{"D_SYNTAX", "%w\", i"},
		{"D_SYNTAX", "%y\", i"},
		{NULL, "%-+ #0'?d%*d%.*d%*.*d\", i, 1, i, 2, i, 3, 4, i"},
		{"D_PRINTF_DYN_TYPE", "%*d\", str, i"},
		{"D_PRINTF_DYN_TYPE", "%.*d\", ip, i"},
		{"D_PRINTF_DYN_PROTO", "%*d\""},
		{"D_PRINTF_DYN_PROTO", "%*.*d\", 1"},
		{"D_PRINTF_ARG_PROTO", "%*d\", 1"},
		{"D_PRINTF_ARG_PROTO", "%d%d\", i"},
		{"D_PRINTF_ARG_EXTRA", "%d\", i, i"},
		{"D_PRINTF_ARG_EXTRA", "text\", i"},
		{"D_PRINTF_AGG_CONV", "%@d\", i"},
		{"D_PRINTF_FMT_EMPTY", "\""},
		{NULL, NULL},
	};

	(void)state;
	check(rules, VARIABLES "BEGIN { printf(\"", "); }");
}

/* What may follow what in a clause. */
static void orders(void **state)
{
	static const struct rule rules[] = {
		{NULL, "speculate(i); trace(1); trace(2);"},
		{NULL, "i = 1; speculate(i); i = 2; trace(i);"},
		{"D_SPEC_DREC", "trace(1); speculate(i);"},
		{"D_SPEC_DREC", "@ = count(); speculate(i);"},
		{"D_SPEC_SPEC", "speculate(i); speculate(i);"},
		{"D_SPEC_COMM", "commit(i); speculate(i);"},
		{"D_COMM_COMM", "commit(i); commit(i);"},
		{"D_COMM_DREC", "trace(1); commit(i);"},
		{NULL, "speculate(i); trace(1); commit(i);"},
		{"D_DREC_COMM", "commit(i); trace(1);"},
		{"D_DREC_COMM", "commit(i); exit(0);"},
		{"D_AGG_COMM", "commit(i); @ = count();"},
		{"D_AGG_SPEC", "speculate(i); @ = count();"},
		{"D_EXIT_SPEC", "speculate(i); exit(0);"},
		{NULL, "discard(i); commit(i);"},
		{NULL, "discard(i); speculate(i);"},
		{NULL, "speculate(i); discard(i);"},
		{"D_ACT_SPEC", "speculate(i); stop();"},
		{"D_ACT_SPEC", "speculate(i); raise(9);"},
		{"D_ACT_SPEC", "speculate(i); chill(1);"},
		{"D_ACT_SPEC", "speculate(i); panic();"},
		{"D_ACT_SPEC", "speculate(i); breakpoint();"},
		{"D_ACT_SPEC", "speculate(i); system(\"x\");"},
		{"D_ACT_SPEC", "speculate(i); freopen(\"x\");"},
		{"D_ACT_SPEC", "speculate(i); copyout(vp, 1, 1);"},
		{"D_ACT_SPEC", "speculate(i); copyoutstr(\"x\", 1, 1);"},
		{NULL, "copyout(vp, 1, 1); speculate(i);"},
		{NULL, "stop(); speculate(i);"},
		{"D_SPEC_DREC", "system(\"x\"); speculate(i);"},
		{"D_COMM_DREC", "freopen(\"x\"); commit(i);"},
		{NULL, "raise(9); commit(i);"},
		{"D_SPEC_DREC", "printa(@a); speculate(i);"},
		{NULL, NULL},
	};

	(void)state;
	check(rules, VARIABLES "BEGIN { @a = count(); } BEGIN { ", " }");
}

static void arguments(void **state)
{
	static const struct rule rules[] = {
		{NULL, "alloca(i)"},
		{"D_PROTO_ARG", "alloca(ip)"},
		{"D_PROTO_ARG", "alloca(str)"},
		{"D_PROTO_LEN", "alloca()"},
		{"D_PROTO_LEN", "alloca(1, 2)"},
		{NULL, "strlen(ca) + strlen(cp) + strlen(str)"},
		{"D_PROTO_ARG", "strlen(i)"},
		{"D_PROTO_ARG", "strlen(0)"},
		{"D_PROTO_ARG", "strlen(ip)"},
		{NULL, "strtok(0, str)"},
		{"D_PROTO_ARG", "strtok(1, str)"},
		{"D_PROTO_ARG", "strtok(ip, str)"},
		{"D_PROTO_ARG", "strtok(str, 0)"},
		{NULL, "substr(str, 1)"},
		{NULL, "substr(str, 1, 2)"},
		{"D_PROTO_LEN", "substr(str, 1, 2, 3)"},
		{"D_PROTO_LEN", "substr(str)"},
		{"D_PROTO_ARG", "substr(str, 1, str)"},
		{NULL, "copyinstr(i)"},
		{NULL, "copyinstr(i, 8)"},
		{"D_PROTO_ARG", "copyinstr(cp)"},
		{NULL, "inet_ntoa((uint32_t *)ip)"},
		{NULL, "inet_ntoa(ip)"},
		{NULL, "inet_ntoa(ucp)"},
		{NULL, "inet_ntoa(vp)"},
		{NULL, "inet_ntoa(sp)"},
		{NULL, "inet_ntoa(0)"},
		{"D_PROTO_ARG", "inet_ntoa(lp)"},
		{"D_PROTO_ARG", "inet_ntoa(cp)"},
		{"D_PROTO_ARG", "inet_ntoa(i)"},
		{"D_PROTO_ARG", "inet_ntoa(str)"},
		{"D_PROTO_ARG", "inet_ntoa(ipp)"},
		{NULL, "inet_ntoa6(ucp)"},
		{NULL, "inet_ntoa6(sp)"},
		{NULL, "inet_ntoa6(vp)"},
		{"D_PROTO_ARG", "inet_ntoa6(ip)"},
		{"D_PROTO_ARG", "inet_ntoa6(cp)"},
		{NULL, "inet_ntop(2, ip)"},
		{NULL, "inet_ntop(2, str)"},
		{"D_PROTO_ARG", "inet_ntop(2, i)"},
		{NULL, "mutex_owned(sp)"},
		{NULL, "mutex_owned(vp)"},
		{NULL, "mutex_owned(0)"},
		{"D_PROTO_ARG", "mutex_owned(ip)"},
		{"D_PROTO_ARG", "mutex_owned(ipp)"},
		{"D_PROTO_ARG", "mutex_owned(str)"},
		{"D_PROTO_ARG", "mutex_owned(i)"},
		{NULL, "memref(ip, 4)"},
		{NULL, "memref(0, 4)"},
		{"D_PROTO_ARG", "memref(1, 4)"},
		{"D_PROTO_ARG", "strlen(trace(1))"},
		{"D_FUNC_UNDEF", "nothing(1)"},
		{"D_FUNC_IDKIND", "pid(1)"},
		{"D_CG_EXPR", "count() + 1"},
		{"D_PROTO_LEN", "rand(1)"},
		{NULL, NULL},
	};

	(void)state;
	check(rules, VARIABLES "BEGIN { x = ", "; }");
}

/* Variables of threads, elements of associative arrays, and strings are read as copies. */
static void copies(void **state)
{
	static const struct rule rules[] = {
		{NULL, "bcopy(self->a, p, 4)"},
		{NULL, "bcopy(str, p, 4)"},
		{NULL, "bcopy(cp, ip, 4)"},
		{NULL, "bcopy(ip, ia, 4)"},
		{NULL, "bcopy(ip, &st.m, 4)"},
		{NULL, "bcopy(ip, &sp->m, 4)"},
		{"D_PROTO_ARG", "bcopy(ip, self->a, 4)"},
		{"D_PROTO_ARG", "bcopy(ip, &self->a[1], 4)"},
		{"D_PROTO_ARG", "bcopy(ip, v[1], 4)"},
		{"D_PROTO_ARG", "bcopy(ip, str, 4)"},
		{"D_PROTO_ARG", "bcopy(ip, &self->s.m, 4)"},
		{"D_PROTO_ARG", "bcopy(1, p, 4)"},
		{"D_PROTO_ARG", "bcopy(ip, 1, 4)"},
		{NULL, "copyinto(1, 4, p)"},
		{"D_PROTO_ARG", "copyinto(1, 4, self->a)"},
		{"D_PROTO_ARG", "copyinto(ip, 4, p)"},
		{NULL, "self->a[1] = 1; v[1][1] = 1; self->s.m++"},
		{NULL, "ip = self->a; trace(*ip)"},
		{NULL, "ip = ia; *ip = 1"},
		{"D_OP_WRITE", "ip = self->a; *ip = 1"},
		{"D_OP_WRITE", "ip = v[1]; *ip = 1"},
		{"D_OP_WRITE", "ip = self->a; ip[1] = 1"},
		{"D_OP_WRITE", "ip = self->a; *(ip + 1) = 1"},
		{"D_OP_WRITE", "ip = self->a + 1; *ip += 1"},
		{"D_OP_WRITE", "*ip = 1; ip = self->a"},
		{"D_OP_WRITE", "*ip = 1; ip = &self->a[1]"},
		{"D_OP_WRITE", "(*ip)++; ip = &self->a[1]"},
		{"D_OP_WRITE", "ip = self->a; up = (unsigned *)ip; *up = 1"},
		{"D_OP_WRITE", "ip = self->a; self->i = ip; *self->i = 1"},
		{"D_OP_WRITE", "sp = self->t; sp->m = 1"},
		{"D_OP_WRITE", "sp = self->t; sp[1].m++"},
		{"D_OP_WRITE", "cp = str; *cp = 1"},
		{"D_PROTO_ARG", "ip = self->a; bcopy(p, ip, 4)"},
		{NULL, "ip = p; *ip = 1"},
		{NULL, "*ip = 1; ip = p"},
		{NULL, "ip = (int *)sp; *ip = 1"},
		{NULL, NULL},
	};

	(void)state;
	check(rules,
	      VARIABLES "self int a[2]; self struct s s; self struct s t[2]; int v[int][2]; "
			"BEGIN { p = alloca(8); ",
	      "; }");
}

static void inlines(void **state)
{
	static const struct rule rules[] = {
		{NULL, "inline int f[int a, string b] = a + strlen(b); BEGIN { x = f[1, \"\"]; }"},
		{"D_PROTO_LEN", "inline int f[int a] = a; BEGIN { x = f[1, 2]; }"},
		{"D_PROTO_ARG", "inline int f[int a] = a; BEGIN { x = f[\"1\"]; }"},
		{"D_PROTO_ARG", "inline int f[string a] = 1 + strlen(a); BEGIN { x = f[1]; }"},
		{NULL, "inline string f[string a] = a; BEGIN { x = f[0]; }"},
		{"D_DECL_PARMNAME", "inline int f[int] = 1;"},
		{"D_OP_INCOMPAT", "inline int f = \"1\";"},
		{"D_OP_INCOMPAT", "inline string f = 1;"},
		{NULL, "inline string f = 0; BEGIN { x = f; }"},
		{"D_IDENT_UNDEF", "inline int f[int a] = a; BEGIN { x = a; }"},
		{"D_IDENT_UNDEF", "inline int f = f; BEGIN { x = f; }"},
		{"D_DECL_IDRED", "inline int pid = 1;"},
		{"D_ARGS_NONE", "inline int f = args[0];"},
		{NULL, "inline int f[int a] = a; inline int g[int a] = f[a] + f[f[a]]; "
		       "BEGIN { x = g[f[1]]; }"},
		{NULL,
		 "struct s { int m; }; struct t { int n; }; translator struct t < struct s *p > "
		 "{ n = p->m; }; BEGIN { x = xlate <struct t> ((struct s *)1).n; }"},
		{"D_XLATE_NONE", "struct s { int m; }; struct t { int n; }; translator struct t < "
				 "struct s *p > { n = p->m; }; BEGIN { x = xlate <struct s> "
				 "((struct s *)1).m; }"},
		{"D_XLATE_SOU", "translator int < int p > { n = p; };"},
		{"D_XLATE_SOU", "translator struct t < int p > { n = p; };"},
		{"D_XLATE_MEMB", "struct t { int n; }; translator struct t < int p > { m = p; };"},
		{"D_XLATE_INCOMPAT",
		 "struct t { int n; }; translator struct t < int p > { n = \"p\"; };"},
		{NULL,
		 "struct t { int n; string s; }; translator struct t < int p > { n = p; s = 0; };"},
		{"D_XLATE_REDECL", "struct t { int n; }; translator struct t < int p > { n = p; }; "
				   "translator struct t < int q > { n = q; };"},
		{NULL, "struct t { int n; }; translator struct t < int p > { n = p; }; "
		       "translator struct t < long q > { n = q; };"},
		{"D_XLATE_NOCONV",
		 "struct t { int n, m; }; translator struct t < int p > { n = p; }; "
		 "BEGIN { x = xlate <struct t> (1).m; }"},
		{"D_SYNTAX", "struct t { int n; }; translator struct t < int > { n = 1; };"},
		{NULL, NULL},
	};

	(void)state;
	check(rules, "", " BEGIN { exit(0); }");
}

static void predefined_types(void **state)
{
	static const struct rule rules[] = {
		{NULL, "int x[(bool)2 == 1 && (_Bool)256 == 1 && (bool)0 == 0 ? 1 : -1];"},
		{NULL,
		 "int x[(int8_t)200 < 0 && (uint8_t)-1 == 255 && (boolean_t)2 == 2 ? 1 : -1];"},
		{NULL, "caddr_t c; char *p; BEGIN { c = p; p = c; x = strlen(c) + c[1]; }"},
		{"D_OP_INCOMPAT", "caddr_t c; char **p; BEGIN { c = p; }"},
		{NULL, "uint64_t *u; unsigned long *l; BEGIN { u = l; l = u; x = *u; }"},
		{"D_DECL_IDRED", "typedef int mine_t; typedef long mine_t;"},
		{NULL, "typedef struct { int x; } time_t; time_t t; BEGIN { y = t.x; }"},
		{NULL, NULL},
	};

	(void)state;
	check(rules, "", " BEGIN { exit(0); }");
}

/* A declaration may need what the clauses before it define. Any other error of it comes first. */
static void later_declarations(void **state)
{
	static const struct rule rules[] = {
		{NULL, "BEGIN { x = 1; } inline int f = x; BEGIN { y = f; }"},
		{NULL, "BEGIN { self->x = 1; } inline int f = self->x; BEGIN { y = f; }"},
		{NULL, "BEGIN { x[1] = 1; } inline int f = x[2]; BEGIN { y = f; }"},
		{"D_IDENT_UNDEF", "BEGIN { x = 1; } inline int f = z;"},
		{"D_VAR_UNDEF", "BEGIN { x = 1; } inline int f = self->z;"},
		{"D_VAR_UNDEF", "inline int f = self->x; BEGIN { self->x = 1; }"},
		{"D_DECL_ARRNULL", "BEGIN { x = z; } int y[];"},
		{"D_OP_INCOMPAT", "BEGIN { x = z; } inline int f = \"\";"},
		{NULL, NULL},
	};

	(void)state;
	check(rules, "", " BEGIN { exit(0); }");
}

/* Run in a child, whose numbers it may change. */
static void macro_variables_of(bool leads, bool root)
{
	char program[1024];

	if (leads && setpgid(0, 0) != 0)
		_exit(100);
	if (root && (setresgid(3, 4, 4) != 0 || setresuid(1, 2, 2) != 0))
		_exit(101);
	snprintf(program, sizeof(program),
		 "int x[$pid == %d && $ppid == %d && $pgid == %d && $sid == %d && $uid == %d && "
		 "$euid == %d && $gid == %d && $egid == %d && $target == 0 && $projid == 0 && "
		 "$taskid == 0 ? 1 : -1]; BEGIN { exit(0); }",
		 getpid(), getppid(), getpgrp(), getsid(0), getuid(), geteuid(), getgid(),
		 getegid());
	_exit(strcmp(tag_of(program), "") != 0);
}

static void macro_variables(void **state)
{
	(void)state;
	for (int leads = 0; leads <= 1; leads++) {
		pid_t pid = fork();
		int status;

		if (pid == 0)
			macro_variables_of(leads, geteuid() == 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_of_lquantize),
		cmocka_unit_test(steps_of_llquantize),
		cmocka_unit_test(parameters_again),
		cmocka_unit_test(sizes_of_actions),
		cmocka_unit_test(sizes_of_types),
		cmocka_unit_test(depths),
		cmocka_unit_test(sequences),
		cmocka_unit_test(words_of_types),
		cmocka_unit_test(storage_classes),
		cmocka_unit_test(second_declarations),
		cmocka_unit_test(assignments),
		cmocka_unit_test(operands),
		cmocka_unit_test(choices),
		cmocka_unit_test(casts),
		cmocka_unit_test(constants),
		cmocka_unit_test(formats),
		cmocka_unit_test(orders),
		cmocka_unit_test(arguments),
		cmocka_unit_test(copies),
		cmocka_unit_test(inlines),
		cmocka_unit_test(predefined_types),
		cmocka_unit_test(later_declarations),
		cmocka_unit_test(macro_variables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
