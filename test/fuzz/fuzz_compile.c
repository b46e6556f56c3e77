/* SPDX-License-Identifier: MIT */
/*
 * fuzz_compile.c - random D text: the compiler refuses it with a message, or makes DOF that the
 * engine's verifier accepts. The engine may refuse a program for its privileges or sizes, never for
 * malformed code.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "handle.h"
#include "verify_program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return verify_init();
}

/* Return whether the engine refuses what the program asks for, not how it is compiled. */
static int fuzz_expected(const char *text)
{
	static const char *const words[] = {"destructive", "pass",     "large", "bytes",
					    "probe",	   "too many", "option"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(text, words[i]))
			return 1;
	return 0;
}

static void fuzz_enable(dtrace_hdl_t *dtp, dtrace_prog_t *prog)
{
	char text[512] = "";
	size_t size;
	void *dof = dtrace_dof_create(dtp, prog, &size);

	if (!dof)
		abort();
	if (verify_program(dof, size, text, sizeof(text)) != 0 && !fuzz_expected(text)) {
		fprintf(stderr, "the engine refuses the compiler's output: %s\n", text);
		abort();
	}
	free(dof);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char *const argv[] = {"fuzz", "42", "word"};
	char *text = strndup((const char *)data, size);
	dtrace_hdl_t *dtp;
	dtrace_prog_t *prog;
	int error;

	dtp = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &error);
	if (!dtp || !text || dtrace_setopt(dtp, "btfpath", "/nonexistent") != 0 ||
	    dtrace_setopt(dtp, "kallsyms", "/nonexistent") != 0)
		abort();
	prog = dtrace_program_strcompile(dtp, text, DTRACE_PROBESPEC_NAME,
					 DTRACE_C_NOLIBS | DTRACE_C_ZDEFS, 3, argv);
	if (prog)
		fuzz_enable(dtp, prog);
	else if (!dtrace_errmsg(dtp, dtrace_errno(dtp)))
		abort();
	dtrace_close(dtp);
	free(text);
	return 0;
}
