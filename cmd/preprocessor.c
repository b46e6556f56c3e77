// SPDX-License-Identifier: MIT
/* preprocessor.c - what -h, -G and --check are to have provider files preprocessed with. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"

/* The value of "name=value", or NULL if option is another. */
static const char *value_of(const char *option, const char *name)
{
	size_t len = strlen(name);

	return strncmp(option, name, len) == 0 && option[len] == '=' ? option + len + 1 : NULL;
}

/* -x options of the preprocessor that are words of its command line. */
static void word_take(struct cmd *cmd, const char *option)
{
	static const struct {
		const char *name, *before;
	} words[] = {{"define", "-D"}, {"undef", "-U"}, {"incdir", "-I"}, {"cppargs", ""}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *value = value_of(option, words[i].name);
		char *word;

		if (!value)
			continue;
		if (asprintf(&word, "%s%s", words[i].before, value) < 0)
			fatal("out of memory");
		words_add(&cmd->cppargs, &cmd->ncppargs, word);
	}
}

void preprocessor_set(struct cmd *cmd, struct dtrace_usdt_args *args)
{
	args->cpp = cmd->cflags & DTRACE_C_CPP;
	for (int i = 0; i < cmd->noptions; i++) {
		const char *path = value_of(cmd->options[i], "cpppath");

		if (path)
			args->cpppath = path;
		args->cpp |= strcmp(cmd->options[i], "cpp") == 0;
		word_take(cmd, cmd->options[i]);
	}
	args->cppargs = cmd->cppargs;
	args->ncppargs = cmd->ncppargs;
}
