// SPDX-License-Identifier: MIT
/*
 * options.c - parses the command line.
 *
 * One table has for each option the name of its value, if any, its action and its help text. With
 * -h and -G, operands are objects, and the parser accepts the compiler switches that build systems
 * pass along (-fPIC, -m64).
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

enum action {
	A_ARCH,
	A_REFUSED,
	A_XOPT,
	A_FLAG,
	A_MODE,
	A_PROGRAM,
	A_SCRIPT,
	A_WORD,
	A_CPPARG,
	A_SETX,
	A_VERBOSE,
	A_BUFFERED,
	A_AGGREGATIONS
};

static const struct option {
	char letter;
	const char *value; /* name of its value, or NULL */
	enum action action;
	int number;	  /* mode, compile flag, probespec or architecture */
	const char *word; /* of an -x option that it stands for */
	const char *text;
} options[] = {
	{'3', "2", A_ARCH, 32, NULL, "with -h and -G: for 32-bit objects"},
	{'6', "4", A_ARCH, 64, NULL, "with -h and -G: for 64-bit objects"},
	{'a', NULL, A_SETX, 0, "grabanon", "refused: there is no tracing before the system is up"},
	{'A', NULL, A_REFUSED, 0, NULL,
	 "refused: the module is loaded too late in the boot to carry a program; start dtrace from "
	 "a unit that runs early instead"},
	{'b', "bufsz", A_SETX, 0, "bufsize", "size of the principal buffers"},
	{'B', NULL, A_BUFFERED, 0, NULL, NULL},
	{'c', "cmd", A_WORD, 'c', NULL,
	 "run a command, trace until it ends; $target is its process"},
	{'C', NULL, A_FLAG, DTRACE_C_CPP, NULL, "run the C preprocessor over scripts"},
	{'d', NULL, A_FLAG, DTRACE_C_SUGAR, NULL, "print the program without its ifs"},
	{'D', "name[=def]", A_CPPARG, 0, NULL, "define a symbol for the preprocessor"},
	{'e', NULL, A_MODE, MODE_COMPILE, NULL, "compile only"},
	{'f', "func", A_PROGRAM, DTRACE_PROBESPEC_FUNC, NULL,
	 "enable or list probes of a function"},
	{'F', NULL, A_SETX, 0, "flowindent", "indent by entry and return"},
	{'G', NULL, A_MODE, MODE_LINK, NULL,
	 "make an object that registers the static probes of objects"},
	{'h', NULL, A_MODE, MODE_HEADER, NULL,
	 "make a header of the macros for a provider's probes"},
	{'H', NULL, A_CPPARG, 0, NULL, "print the names of included files"},
	{'i', "ids", A_PROGRAM, DTRACE_PROBESPEC_NONE, NULL,
	 "enable or list probes by number: 7, 7-9 or 7,12-14"},
	{'I', "path", A_CPPARG, 0, NULL, "look for included files there"},
	{'l', NULL, A_MODE, MODE_LIST, NULL, "list probes"},
	{'L', "path", A_SETX, 0, "libdir", "look for D libraries there too"},
	{'m', "mod", A_PROGRAM, DTRACE_PROBESPEC_MOD, NULL, "enable or list probes of a module"},
	{'n', "name", A_PROGRAM, DTRACE_PROBESPEC_NAME, NULL,
	 "enable or list probes of that name, or a whole program"},
	{'o', "file", A_WORD, 'o', NULL, "write there; traced data is appended"},
	{'O', NULL, A_AGGREGATIONS, 0, NULL,
	 "with -xoformat: print aggregations when tracing ends"},
	{'p', "pid", A_WORD, 'p', NULL, "trace until the process ends; it is $target"},
	{'P', "prov", A_PROGRAM, DTRACE_PROBESPEC_PROVIDER, NULL,
	 "enable or list probes of a provider"},
	{'q', NULL, A_SETX, 0, "quiet", "print only what the program asks for"},
	{'s', "script", A_SCRIPT, 0, NULL, "compile a file"},
	{'S', NULL, A_FLAG, DTRACE_C_DIFV, NULL, "show the compiled instructions"},
	{'U', "name", A_CPPARG, 0, NULL, "undefine a symbol of the preprocessor"},
	{'v', NULL, A_VERBOSE, 0, NULL, "show stability, and with -l argument types"},
	{'V', NULL, A_MODE, MODE_VERSION, NULL, "show the version of D, and of this dtrace"},
	{'w', NULL, A_SETX, 0, "destructive", "permit destructive actions"},
	{'W', "name", A_WORD, 'W', NULL,
	 "wait for a program to be started, trace until it ends; it is $target"},
	{'x', "opt[=val]", A_XOPT, 0, NULL, "set an option; -x help lists them"},
	{'X', "a|c|s|t", A_SETX, 0, "stdc", "how strictly the preprocessor follows ISO C"},
	{'y', "path", A_REFUSED, 0, NULL,
	 "refused: symbols are in the programs, or where their build id says"},
	{'Z', NULL, A_FLAG, DTRACE_C_ZDEFS, NULL, "descriptions that match no probe are fine"},
};

#define NOPTIONS (sizeof(options) / sizeof(options[0]))

static void usage_print(FILE *fp)
{
	fputs("Usage: dtrace [options] [-P|-m|-f|-n|-i description [[predicate] action]]... [-s "
	      "script]... [argument...]\n"
	      "       dtrace -h -s provider.d [-o header]\n"
	      "       dtrace -G [-s provider.d] [-o object] [object...]\n"
	      "       dtrace -G --list file...\n"
	      "       dtrace -G --check [-s provider.d]... file...\n"
	      "       dtrace -G --fire program [argument...]\n"
	      "       dtrace -l [-v] file...\n\n",
	      fp);
	for (const struct option *o = options; o < options + NOPTIONS; o++) {
		char name[40];

		if (!o->text)
			continue;
		snprintf(name, sizeof(name), o->action == A_ARCH ? "-%c%s" : "-%c %s", o->letter,
			 o->value ? o->value : "");
		fprintf(fp, "\t%-14s %s\n", name, o->text);
	}
}

static void __attribute__((noreturn)) usage(void)
{
	usage_print(stderr);
	exit(CMD_USAGE);
}

void words_add(char ***words, int *n, char *word)
{
	*words = realloc(*words, (*n + 2) * sizeof(**words));
	if (!*words)
		fatal("out of memory");
	(*words)[(*n)++] = word;
	(*words)[*n] = NULL;
}

/* Return the concatenation of three strings, allocated with malloc. */
static char *concat(const char *a, const char *b, const char *c)
{
	char *text = malloc(strlen(a) + strlen(b) + strlen(c) + 1);

	if (!text)
		fatal("out of memory");
	return strcat(strcat(strcpy(text, a), b), c);
}

static void program_add(struct cmd *cmd, const struct option *o, const char *value)
{
	struct cmd_program *p;

	cmd->programs = realloc(cmd->programs, (cmd->nprograms + 1) * sizeof(*p));
	if (!cmd->programs)
		fatal("out of memory");
	p = &cmd->programs[cmd->nprograms++];
	*p = (struct cmd_program){
		.option = o->letter, .spec = o->number, .text = concat(value, "", "")};
}

static void mode_set(struct cmd *cmd, const struct option *o)
{
	if (cmd->mode != MODE_EXEC && (int)cmd->mode != o->number) {
		notice("-%c cannot be combined with the other mode given (one of -e -G -h -l -V)",
		       o->letter);
		usage();
	}
	cmd->mode = o->number;
}

static void word_set(struct cmd *cmd, const struct option *o, char *value)
{
	switch (o->number) {
	case 'c':
		words_add(&cmd->commands, &cmd->ncommands, value);
		break;
	case 'p':
		words_add(&cmd->pids, &cmd->npids, value);
		break;
	case 'W':
		words_add(&cmd->names, &cmd->nnames, value);
		break;
	default:
		cmd->output = value;
		break;
	}
}

static void setx(struct cmd *cmd, const struct option *o, const char *value)
{
	words_add(&cmd->options, &cmd->noptions,
		  value ? concat(o->word, "=", value) : concat(o->word, "", ""));
}

static void option_take(struct cmd *cmd, const struct option *o, char *value)
{
	switch (o->action) {
	case A_ARCH:
		if (strcmp(value, o->value) != 0)
			usage();
		cmd->model = o->number;
		break;
	case A_REFUSED:
		fatal("option -%c is %s", o->letter, o->text);
	case A_XOPT:
		if (strcmp(value, "help") == 0)
			cmd->option_help = true;
		words_add(&cmd->options, &cmd->noptions, value);
		break;
	case A_FLAG:
		cmd->cflags |= o->number;
		break;
	case A_MODE:
		mode_set(cmd, o);
		break;
	case A_PROGRAM:
	case A_SCRIPT:
		program_add(cmd, o, value);
		break;
	case A_WORD:
		word_set(cmd, o, value);
		break;
	case A_CPPARG:
		words_add(&cmd->cppargs, &cmd->ncppargs,
			  concat((char[]){'-', o->letter, '\0'}, value ? value : "", ""));
		break;
	case A_SETX:
		setx(cmd, o, value);
		break;
	case A_VERBOSE:
		cmd->verbose = true;
		break;
	case A_BUFFERED:
		cmd->buffered = true;
		break;
	case A_AGGREGATIONS:
		cmd->aggregations = true;
		break;
	}
}

static const struct option *option_find(char letter)
{
	for (const struct option *o = options; o < options + NOPTIONS; o++)
		if (o->letter == letter)
			return o;
	return NULL;
}

/* Return whether the text of a clause has an action. A { within quotes does not begin one. */
static bool has_action(const char *text)
{
	char quote = '\0';

	for (; *text != '\0'; text++) {
		if (quote == '\0' && *text == '{')
			return true;
		if (quote != '\0' && *text == '\\' && text[1] != '\0')
			text++;
		else if (quote != '\0' ? *text == quote : *text == '"' || *text == '\'')
			quote = quote != '\0' ? '\0' : *text;
	}
	return false;
}

/*
 * Return whether word continues the clause whose text is given by -P, -m, -f, -n or -i: a predicate
 * or an action. After the action, all words are arguments of the program, even paths.
 */
static bool is_clause_part(const char *text, const char *word)
{
	return word && (word[0] == '/' || word[0] == '{') && !has_action(text);
}

/* Append the words after argv[i] that continue the clause. Return the index of the last one. */
static int clause_take(struct cmd_program *prog, char *argv[], int i)
{
	while (is_clause_part(prog->text, argv[i + 1])) {
		char *before = prog->text;

		prog->text = concat(before, " ", argv[++i]);
		free(before);
	}
	return i;
}

/* Take the option letters of argv[i]. Return the index of the last word that they used. */
static int letters_take(struct cmd *cmd, char *argv[], int i)
{
	for (char *p = argv[i] + 1; *p != '\0'; p++) {
		const struct option *o = option_find(*p);
		char *value = NULL;

		if (!o) {
			notice("unknown option -%c", *p);
			usage();
		}
		if (o->value) {
			value = p[1] != '\0' ? p + 1 : o->action == A_ARCH ? "" : argv[++i];
			if (!value) {
				notice("option -%c needs a value: %s", *p, o->value);
				usage();
			}
		}
		option_take(cmd, o, value);
		if (!o->value)
			continue;
		if (o->action == A_PROGRAM)
			i = clause_take(&cmd->programs[cmd->nprograms - 1], argv, i);
		break;
	}
	return i;
}

/* Take FreeBSD's --libxo=FORMAT or --libxo FORMAT as -x oformat. Return the last word's index. */
static int libxo_take(struct cmd *cmd, char *argv[], int i)
{
	char *value = argv[i] + strlen("--libxo");

	if (*value == '\0')
		value = argv[++i];
	else
		value++;
	if (!value) {
		notice("option --libxo needs a value: json or xml");
		usage();
	}
	words_add(&cmd->options, &cmd->noptions, concat("oformat=", value, ""));
	return i;
}

/* Return the mode of -G that --list, --check or --fire selects; LOOK_NONE for another word. */
static enum cmd_look look_find(const char *word)
{
	static const char *const words[] = {
		[LOOK_LIST] = "--list", [LOOK_CHECK] = "--check", [LOOK_FIRE] = "--fire"};

	for (int i = LOOK_LIST; i <= LOOK_FIRE; i++)
		if (strcmp(word, words[i]) == 0)
			return i;
	return LOOK_NONE;
}

/* Take argv[i], which begins with two dashes. Return the index of the last word that it used. */
static int long_take(struct cmd *cmd, char *argv[], int i)
{
	const char *word = argv[i];

	if (strcmp(word, "--libxo") == 0 || strncmp(word, "--libxo=", 8) == 0)
		return libxo_take(cmd, argv, i);
	if (strcmp(word, "--version") == 0) {
		option_take(cmd, option_find('V'), NULL);
		return i;
	}
	if (strcmp(word, "--help") == 0) {
		usage_print(stdout);
		exit(output_close(stdout, CMD_OK));
	}
	notice("unknown option %s: %s", word,
	       look_find(word) != LOOK_NONE
		       ? "it is for -G"
		       : "dtrace --help lists the options, dtrace -x help those of -x");
	exit(CMD_USAGE);
}

/*
 * Return whether -h or -G is among the words. Values of other options cannot be mistaken for them,
 * because values do not begin with a dash.
 */
static bool makes_file(char *argv[])
{
	for (int i = 1; argv[i]; i++) {
		if (strcmp(argv[i], "--") == 0)
			break;
		if (argv[i][0] != '-')
			continue;
		for (const char *p = argv[i] + 1; *p != '\0'; p++) {
			const struct option *o = option_find(*p);

			if (*p == 'h' || *p == 'G')
				return true;
			if (!o || o->value)
				break;
		}
	}
	return false;
}

/* ---- switches of compilers ---- */

static bool is_one_of(const char *word, const char *const words[])
{
	for (; *words; words++)
		if (strcmp(word, *words) == 0)
			return true;
	return false;
}

/* Take -m32, -m64 or -arch NAME. Return whether the word is one of them. */
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

/*
 * Take the word argv[i], and its value, if it is a switch that builds pass to -h and -G: of a
 * compiler, or of another tool named dtrace. Preprocessor switches are passed on, machine switches
 * set the model, and the others do not change the output. Return the index of the last word taken,
 * or -1 if the word is no such switch.
 */
static int switch_take(struct cmd *cmd, char *argv[], int i)
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

/* ---- words of the command line ---- */

/*
 * Return whether word holds all options of a script's first line, such as "#!dtrace -C -s": the
 * kernel passes them as one word. Such a word has only letters, dashes and blanks, and ends with s,
 * whose argument is the script's name.
 */
static bool is_script_line(const char *word)
{
	size_t n = strlen(word);
	bool several = false;

	if (word[0] != '-' || n < 2 || word[n - 1] != 's')
		return false;
	for (size_t i = 1; i < n; i++) {
		const struct option *o = option_find(word[i]);

		if (word[i] == ' ' && word[i + 1] == '-')
			several = true;
		else if (word[i] == '-' && word[i - 1] == ' ')
			continue;
		else if (!o || (i < n - 1 && o->value))
			return false;
	}
	return several;
}

/* Return argv with each option of a script's first line as a separate word. */
static char **script_line_split(int argc, char *argv[])
{
	char **words = NULL, *rest = concat(argv[1], "", ""), *word;
	int n = 0;

	words_add(&words, &n, argv[0]);
	while ((word = strsep(&rest, " ")))
		words_add(&words, &n, word);
	for (int i = 2; i < argc; i++)
		words_add(&words, &n, argv[i]);
	return words;
}

static void options_parse_words(struct cmd *cmd, int argc, char *argv[])
{
	bool file = makes_file(argv), only_operands = false;
	enum cmd_look look;
	int taken;

	words_add(&cmd->operands, &cmd->noperands, argv[0]);
	if (argc < 2)
		usage();
	for (int i = 1; argv[i]; i++) {
		if (only_operands || argv[i][0] != '-' || argv[i][1] == '\0')
			words_add(&cmd->operands, &cmd->noperands, argv[i]);
		else if (strcmp(argv[i], "--") == 0)
			only_operands = true;
		else if (file && (look = look_find(argv[i])) != LOOK_NONE)
			cmd->look = look;
		else if (file && (taken = switch_take(cmd, argv, i)) >= 0)
			i = taken;
		else if (argv[i][1] == '-')
			i = long_take(cmd, argv, i);
		else if (strcmp(argv[i], "-arch") == 0)
			fatal("option -arch is refused: programs have the architecture of the "
			      "kernel; -32 and -64 are for -h and -G");
		else
			i = letters_take(cmd, argv, i);
	}
}

void options_parse(struct cmd *cmd, int argc, char *argv[])
{
	if (argc > 2 && is_script_line(argv[1]))
		argv = cmd->words = script_line_split(argc, argv);
	options_parse_words(cmd, argc, argv);
}
