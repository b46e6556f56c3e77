/* SPDX-License-Identifier: MIT */
/*
 * compile_nomem.c - the compiler with each of its allocations failing in turn: an error, and
 * nothing is lost.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "handle.h"

static const char kernel_program[] =
	"extern short `untyped; struct outer { struct packed p; } *o;\n"
	"BEGIN { trace(curthread->self->call); trace(((struct file *)arg0)->mode); trace(`BIG);\n"
	"trace(`jiffies + `untyped); trace(&`do_work); trace(curthread->files->dev->owner->comm);\n"
	"trace(sizeof (mod`module_t)); trace(((struct vmlinux`tail *)0)->data[1]); }\n";

static const char language_program[] =
	"#pragma D attributes Evolving/Evolving/ISA v\n#pragma D binding \"1.2\" f\n"
	"provider p { probe a(int x, char *y) : (char *y, int x); };\n"
	"#pragma D attributes Stable/Stable/Common provider p args\n"
	"dtrace:helper:ustack: { this->h = copyinstr(arg0); strjoin(\"@\", this->h); }\n"
	"struct s { int x; struct s *next; }; typedef struct s s_t; enum e { A, B };\n"
	"inline int f[int a] = a + B; string names[int]; s_t v;\n"
	"translator s_t < int *p > { x = *p; };\n"
	"BEGIN /pid == 1/ { names[1] = \"one\"; v.x = f[2]; self->t = timestamp; }\n"
	"END { if (self->t) printf(\"%s %d\\n\", names[1], v.x); else trace(0); @a[pid, execname] "
	"= quantize(v.x); }\n"
	"END { printa(\"%d %s %@d\\n\", @a); trace(pid + (tid + (uid + (gid + (cpu + (ppid + (id + "
	"epid))))))); }\n";

/* Reads parts of a library, which is loaded before. */
static const char library_program[] =
	"BEGIN { memory = (long)alloca(64); trace(old_pair[1]->first); trace(new_pair[2].second); }\n"
	"pair_t p; BEGIN { p = *old_pair[3]; trace(__exists(new_pair[0].label)); }\n";

static const char *program;
static unsigned long countdown; /* the allocation that fails; 0: none */
static bool failed;

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size);

static bool fails_now(void)
{
	if (!countdown || --countdown)
		return false;
	failed = true;
	return true;
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails_now() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails_now() ? NULL : __real_realloc(p, size);
}

static dtrace_prog_t *compile(dtrace_hdl_t *dtp)
{
	return dtrace_program_strcompile(
		dtp, program, DTRACE_PROBESPEC_NAME,
		(program == library_program ? 0 : DTRACE_C_NOLIBS) | DTRACE_C_ZDEFS, 0, NULL);
}

static void load_libraries(dtrace_hdl_t *dtp)
{
	assert_int_equal(dtrace_setopt(dtp, "syslibdir", LIBRARIES), 0);
	assert_non_null(dtrace_program_strcompile(dtp, "BEGIN", DTRACE_PROBESPEC_NAME,
						  DTRACE_C_ZDEFS, 0, NULL));
}

/* Compile with the n-th allocation failing. Return true if there were fewer allocations. */
static bool compile_failing(unsigned long n)
{
	int error;
	dtrace_hdl_t *dtp = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &error);
	dtrace_prog_t *prog;
	size_t size;
	void *dof = NULL;

	assert_non_null(dtp);
	assert_int_equal(dtrace_setopt(dtp, "btfpath", TYPES), 0);
	assert_int_equal(dtrace_setopt(dtp, "kallsyms", KALLSYMS), 0);
	if (program == library_program)
		load_libraries(dtp);
	countdown = n;
	failed = false;
	prog = compile(dtp);
	if (prog)
		dof = dtrace_dof_create(dtp, prog, &size);
	countdown = 0;
	if (failed) {
		assert_null(dof);
		assert_int_equal(dtrace_errno(dtp), ENOMEM);
		/* A compilation that failed left nothing behind: it can be tried again. */
		if (!prog)
			assert_non_null(compile(dtp));
	} else {
		assert_non_null(dof);
	}
	free(dof);
	dtrace_close(dtp);
	return !failed;
}

static void test_each_allocation_fails(void **state)
{
	unsigned long n = 1;

	program = *state;
	while (!compile_failing(n))
		n++;
	assert_true(n > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(test_each_allocation_fails, (void *)language_program),
		cmocka_unit_test_prestate(test_each_allocation_fails, (void *)kernel_program),
		cmocka_unit_test_prestate(test_each_allocation_fails, (void *)library_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
