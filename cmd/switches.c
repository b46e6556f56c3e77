// SPDX-License-Identifier: MIT
/*
 * switches.c - words that builds pass to -h and -G although they are not dtrace's: switches of
 * compilers, and of other tools of that name. What the preprocessor should know is handed to it; what
 * says for which machine is taken note of; the rest changes nothing of what is written.
 */
#include <string.h>

#include "cmd.h"

static bool is_one_of(const char *word, const char *const words[])
{
	for (; *words; words++)
		if (strcmp(word, *words) == 0)
			return true;
	return false;
}

/* -m32, -m64, -arch NAME; false: another word. */
static bool model_take(struct cmd *cmd, const char *word, const char *value)
{
	bool arch = strcmp(word, "-arch") == 0;

	if (arch && value)
		cmd->model = strcmp(value, "i386") == 0 ? 32 : 64;
	else if (strcmp(word, "-m32") == 0 || strcmp(word, "-m64") == 0)
		cmd->model = word[2] == '3' ? 32 : 64;
	else
		return false;
	return true;
}

int switch_take(struct cmd *cmd, char *argv[], int i)
{
	static const char *const with_value[] = {"-isystem", "-idirafter", "-iquote",
						 "-include", "-imacros",   NULL};
	static const char *const ignored[] = {
		"-k",	     "--types", "--no-pyparsing", "-ansi",  "-nostdinc",
		"-pedantic", "-pipe",	"-pthread",	  "-undef", NULL};
	const char *word = argv[i];

	if (model_take(cmd, word, argv[i + 1]))
		return strcmp(word, "-arch") == 0 ? i + 1 : i;
	if (is_one_of(word, with_value) && argv[i + 1]) {
		words_add(&cmd->cppargs, &cmd->ncppargs, argv[i]);
		words_add(&cmd->cppargs, &cmd->ncppargs, argv[i + 1]);
		return i + 1;
	}
	if (is_one_of(word, ignored) || strncmp(word, "-std=", 5) == 0 || strchr("fmOgW", word[1]))
		return i;
	return -1;
}
