/* SPDX-License-Identifier: MIT */
/*
 * option.c - options by name. One table has for each option how its value is read, where it is
 * kept, and when it may change. Functions set_*() set an option to a value, NULL for none, and
 * return 0, or -1 with EDT_BADOPTVAL or ENOMEM.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "compile/version.h"
#include "consume/consume.h"
#include "spell.h"
#include "world.h"

enum option_phase {
	PHASE_COMPILE, /* before programs are compiled */
	PHASE_RUN,     /* before tracing begins */
	PHASE_DYNAMIC  /* at any time, also by setopt() */
};

struct option {
	const char *name;
	enum option_phase phase;
	int (*set)(dtrace_hdl_t *dtp, const struct option *opt, const char *val);
	int index;		 /* DTRACEOPT_* or DT_COPT_* */
	uint64_t value;		 /* what a switch without value sets; or a bound */
	const char *description; /* for lists; of a refused option the reason */
};

/* Set the error that a value is not what the option needs. Return -1. */
static int option_badval(dtrace_hdl_t *dtp, const struct option *opt, const char *val,
			 const char *expected)
{
	return dt_set_error(dtp, EDT_BADOPTVAL, "option %s: %s%s%s is not %s", opt->name,
			    val ? "'" : "", val ? val : "no value", val ? "'" : "", expected);
}

/*
 * Read an unsigned number, and set *end behind it. Return false if there is none, or it is too
 * large.
 */
static bool option_number(const char *val, uint64_t *num, const char **end)
{
	char *stop;

	if (!val || !isdigit((unsigned char)*val))
		return false;
	errno = 0;
	*num = strtoull(val, &stop, 0);
	*end = stop;
	return errno == 0;
}

/* Multiply into *out. Return false if dtrace_optval_t cannot hold the product. */
static bool option_scale(uint64_t num, uint64_t factor, uint64_t *out)
{
	return !__builtin_mul_overflow(num, factor, out) && *out < (uint64_t)INT64_MAX;
}

/* Read a truth value; none is true. Return false with the error set if it is something else. */
static bool option_truth(dtrace_hdl_t *dtp, const struct option *opt, const char *val, bool *on)
{
	static const char *const yes[] = {"yes", "true", "on", "set", "enable", "enabled", "1"};
	static const char *const no[] = {"no", "false", "off", "unset", "disable", "disabled", "0"};

	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		if (!val || strcasecmp(val, yes[i]) == 0) {
			*on = true;
			return true;
		}
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		if (strcasecmp(val, no[i]) == 0) {
			*on = false;
			return true;
		}
	option_badval(dtp, opt, val, "a truth value (yes, no, true, false, on, off ...)");
	return false;
}

/* Set an option to a value: the compiler's options are kept apart from those of a session. */
static void option_keep(dtrace_hdl_t *dtp, const struct option *opt, uint64_t value)
{
	if (opt->phase == PHASE_COMPILE)
		dtp->copts[opt->index] = value;
	else
		dtp->options[opt->index] = value;
}

static int set_bool(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	bool on;

	if (!option_truth(dtp, opt, val, &on))
		return -1;
	option_keep(dtp, opt, on);
	return 0;
}

/* Set the switch of which this option is the opposite. */
static int set_clear(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	bool on;

	if (!option_truth(dtp, opt, val, &on))
		return -1;
	option_keep(dtp, opt, !on);
	return 0;
}

/* Set a number: from 1 to opt->value if the option has that bound, else any below INT32_MAX. */
static int set_number(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	uint64_t num, min = opt->value != 0, max = opt->value ? opt->value : INT32_MAX - 1;
	const char *end;
	char expected[64];

	if (option_number(val, &num, &end) && *end == '\0' && num >= min && num <= max) {
		option_keep(dtp, opt, num);
		return 0;
	}
	snprintf(expected, sizeof(expected), "a number from %" PRIu64 " to %" PRIu64, min, max);
	return option_badval(dtp, opt, val, expected);
}

/* Set the number of integer registers. Spilling takes three besides one to work with and %r0. */
static int set_iregs(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	if (set_number(dtp, opt, val) != 0)
		return -1;
	if (dtp->copts[opt->index] >= 5)
		return 0;
	option_keep(dtp, opt, 0);
	return option_badval(dtp, opt, val, "a number from 5 to 8");
}

/*
 * Set an option to the index of its value among words, which may be in upper or lower case. words:
 * ends with NULL. expected: names the words in the message.
 */
static int set_word(dtrace_hdl_t *dtp, const struct option *opt, const char *val,
		    const char *const *words, const char *expected)
{
	for (int i = 0; words[i]; i++)
		if (val && strcasecmp(val, words[i]) == 0) {
			option_keep(dtp, opt, i);
			return 0;
		}
	return option_badval(dtp, opt, val, expected);
}

static int set_linktype(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	static const char *const words[] = {"elf", "dof", NULL};

	return set_word(dtp, opt, val, words, "elf or dof");
}

static int set_linkmode(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	static const char *const words[] = {"kernel", "primary", "dynamic", "static", NULL};

	return set_word(dtp, opt, val, words, "one of kernel, primary, dynamic, static");
}

static int set_late(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	static const char *const words[] = {"dynamic", "static", NULL};

	return set_word(dtp, opt, val, words, "dynamic or static");
}

/* Read a size in bytes. Return false if it is none. */
static bool option_size(const char *val, uint64_t *size)
{
	static const char units[] = "kmgt";
	uint64_t num, factor = 1;
	const char *end, *unit;

	if (!option_number(val, &num, &end))
		return false;
	unit = *end == '\0' ? NULL : strchr(units, tolower((unsigned char)*end));
	if (unit)
		factor = 1ULL << (10 * (unit - units + 1));
	return (unit ? end[1] : *end) == '\0' && option_scale(num, factor, size);
}

static int set_size(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	uint64_t size;

	if (!option_size(val, &size))
		return option_badval(dtp, opt, val, "a size, such as 4m");
	option_keep(dtp, opt, size);
	return 0;
}

/* Read a time such as 10ms or 97hz in nanoseconds; a plain number is a frequency. */
static bool option_time(const char *val, uint64_t *out)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{"ns", 1},
		{"nsec", 1},
		{"us", 1000},
		{"usec", 1000},
		{"ms", 1000000},
		{"msec", 1000000},
		{"s", 1000000000ULL},
		{"sec", 1000000000ULL},
		{"m", 60000000000ULL},
		{"min", 60000000000ULL},
		{"h", 3600000000000ULL},
		{"hour", 3600000000000ULL},
		{"d", 86400000000000ULL},
		{"day", 86400000000000ULL},
	};
	uint64_t num;
	const char *end;

	if (!option_number(val, &num, &end))
		return false;
	if (*end == '\0' || strcasecmp(end, "hz") == 0) {
		*out = num == 0 ? 0 : 1000000000ULL / num;
		return num <= 1000000000ULL;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strcasecmp(end, units[i].name) == 0)
			return option_scale(num, units[i].ns, out);
	return false;
}

static int set_time(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	uint64_t ns;

	if (!option_time(val, &ns))
		return option_badval(dtp, opt, val, "a time or rate, such as 10ms, 2s or 97hz");
	option_keep(dtp, opt, ns);
	return 0;
}

/* Accept a size up to that of the scratch memory, which does not change. */
static int set_scratch(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	uint64_t size;

	if (!option_size(val, &size) || size > opt->value)
		return option_badval(dtp, opt, val, "a size of at most 256k");
	return 0;
}

static int set_policy(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	static const char *const words[] = {"ring", "fill", "switch", NULL};

	return set_word(dtp, opt, val, words, "one of ring, fill, switch");
}

static int set_unwind(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	static const char *const words[] = {"tables", "fp", NULL};

	return set_word(dtp, opt, val, words, "tables or fp");
}

static int set_oformat(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	static const char *const words[] = {"text", "json", "xml", NULL};

	if (val && strcasecmp(val, "html") == 0)
		return dt_set_error(dtp, EDT_OPTUNSUP,
				    "option oformat: html is not written: make it from xml with a "
				    "style sheet");
	return set_word(dtp, opt, val, words, "one of text, json, xml");
}

static int set_resize(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	static const char *const words[] = {"auto", "manual", NULL};

	return set_word(dtp, opt, val, words, "auto or manual");
}

/* Set *where to a copy of a path, and free the old one. */
static int set_string(dtrace_hdl_t *dtp, const struct option *opt, const char *val, char **where)
{
	char *copy;

	if (!val || *val == '\0')
		return option_badval(dtp, opt, val, "a path");
	copy = strdup(val);
	if (!copy)
		return dt_set_errno(dtp, ENOMEM);
	free(*where);
	*where = copy;
	return 0;
}

static int set_cpppath(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	return set_string(dtp, opt, val, &dtp->cpppath);
}

static int set_syslibdir(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	return set_string(dtp, opt, val, &dtp->syslibdir);
}

static int set_btfpath(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	return set_string(dtp, opt, val, &dtp->btfpath);
}

static int set_kallsyms(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	return set_string(dtp, opt, val, &dtp->kallsyms);
}

static int set_libdir(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	if (!val || *val == '\0')
		return option_badval(dtp, opt, val, "a directory");
	return dt_words_add(dtp, &dtp->libdirs, val);
}

/* Add an argument -D, -U or -I of the preprocessor; opt->value is the letter. */
static int set_cpparg(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	char *word;
	int err;

	if (!val || *val == '\0')
		return option_badval(dtp, opt, val, "an argument of the preprocessor");
	if (opt->value == 0)
		return dt_words_add(dtp, &dtp->cppargs, val);
	if (asprintf(&word, "-%c%s", (char)opt->value, val) == -1)
		return dt_set_errno(dtp, ENOMEM);
	err = dt_words_add(dtp, &dtp->cppargs, word);
	free(word);
	return err;
}

static int set_cpphdrs(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	if (set_bool(dtp, opt, val) != 0)
		return -1;
	return dtp->copts[opt->index] ? dt_words_add(dtp, &dtp->cppargs, "-H") : 0;
}

static int set_stdc(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	if (!val || strlen(val) != 1 || !strchr("acst", *val))
		return option_badval(dtp, opt, val, "one of a, c, s, t");
	option_keep(dtp, opt, *val);
	return 0;
}

static int set_amin(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	if (!val || dtrace_str2attr(val, &dtp->amin) != 0)
		return option_badval(dtp, opt, val,
				     "a stability, such as Evolving/Evolving/Common");
	option_keep(dtp, opt, 1);
	return 0;
}

static int set_evaltime(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	static const char *const words[] = {"main", "exec", "preinit", "postinit", NULL};

	return set_word(dtp, opt, val, words, "one of exec, preinit, postinit, main");
}

static int set_encoding(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	if (!val || (strcmp(val, "ascii") != 0 && strcmp(val, "utf8") != 0))
		return option_badval(dtp, opt, val, "ascii or utf8");
	option_keep(dtp, opt, *val == 'a' ? DT_ENCODING_ASCII : DT_ENCODING_UTF8);
	return 0;
}

/*
 * Set the version of the language that a program requires. It must exist, and not be newer than a
 * version set before.
 */
static int set_version(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	uint32_t version;

	if (!val || !version_parse(val, &version))
		return option_badval(dtp, opt, val, "a version, such as 1.13");
	if (!version_known(version))
		return dt_set_error(dtp, EDT_BADOPTVAL,
				    "option version: there is no D %s; the latest is D %s", val,
				    DT_LANGUAGE_LATEST_TEXT);
	if (version > dtp->copts[opt->index])
		return dt_set_error(dtp, EDT_BADOPTVAL,
				    "option version: an older version than %s was asked for before",
				    val);
	option_keep(dtp, opt, version);
	return 0;
}

static int set_setenv(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	char *copy, *eq;
	int err;

	if (!val || *val == '\0' || *val == '=')
		return option_badval(dtp, opt, val, opt->value ? "NAME=VALUE" : "a name");
	copy = strdup(val);
	if (!copy)
		return dt_set_errno(dtp, ENOMEM);
	eq = strchr(copy, '=');
	if (eq)
		*eq = '\0';
	err = opt->value ? setenv(copy, eq ? eq + 1 : "", 1) : unsetenv(copy);
	free(copy);
	return err == 0 ? 0 : dt_set_errno(dtp, errno);
}

static int set_zone(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	if (!val || strcmp(val, "global") != 0)
		return option_badval(dtp, opt, val, "the only zone there is, global");
	return 0;
}

static int set_nothing(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	(void)dtp;
	(void)opt;
	(void)val;
	return 0;
}

/* The world is chosen when the handle is opened, and never changes. */
static int set_world(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	const struct dt_world_type *type = val ? dt_world_by_name(val) : NULL;
	const char *world = dtp->world_type->name;
	char names[64];

	if (!type) {
		dt_world_names(names, sizeof(names));
		return option_badval(dtp, opt, val, names);
	}
	if (type != dtp->world_type)
		return dt_set_error(
			dtp, EDT_BADOPTCTX,
			"option world: it is %s already: choose it by -x world=%s on the "
			"command line, or by DTRACE_OPT_WORLD in the environment",
			world, val);
	return 0;
}

static int set_refused(dtrace_hdl_t *dtp, const struct option *opt, const char *val)
{
	(void)val;
	return dt_set_error(dtp, EDT_OPTUNSUP, "option %s is not supported: %s", opt->name,
			    opt->description);
}

#define C PHASE_COMPILE
#define R PHASE_RUN
#define D PHASE_DYNAMIC

static const struct option options[] = {
	{"agghist", D, set_bool, DTRACEOPT_AGGHIST, 0, "print plain aggregations as bars"},
	{"aggpack", D, set_bool, DTRACEOPT_AGGPACK, 0, "print distributions in one line"},
	{"aggpercpu", C, set_bool, DT_COPT_AGGPERCPU, 0,
	 "keep the values of each CPU, for programs that use the library"},
	{"aggrate", D, set_time, DTRACEOPT_AGGRATE, 0, "how often aggregations are read"},
	{"aggsize", R, set_size, DTRACEOPT_AGGSIZE, 0, "aggregation buffer of a CPU"},
	{"aggsortkey", D, set_bool, DTRACEOPT_AGGSORTKEY, 0, "sort aggregations by key"},
	{"aggsortkeypos", D, set_number, DTRACEOPT_AGGSORTKEYPOS, 0,
	 "number of the key to sort by"},
	{"aggsortpos", D, set_number, DTRACEOPT_AGGSORTPOS, 0,
	 "number of the aggregation to sort by"},
	{"aggsortrev", D, set_bool, DTRACEOPT_AGGSORTREV, 0, "sort aggregations in reverse"},
	{"aggzoom", D, set_bool, DTRACEOPT_AGGZOOM, 0, "bars relative to the largest value"},
	{"amin", C, set_amin, DT_COPT_AMIN, 0, "least stability a program may have"},
	{"arch", C, set_refused, 0, 0, "programs have the architecture of the kernel"},
	{"archlibdir", C, set_refused, 0, 0, "one set of libraries serves every architecture"},
	{"argref", C, set_bool, DT_COPT_ARGREF, 0, "script arguments need not be used"},
	{"bpflog", C, set_nothing, 0, 0, "accepted, without effect: there is no BPF"},
	{"bpflogsize", C, set_nothing, 0, 0, "accepted, without effect: there is no BPF"},
	{"btfpath", C, set_btfpath, 0, 0,
	 "directory or file with the BTF of the kernel and its modules"},
	{"buflimit", R, set_number, DTRACEOPT_BUFLIMIT, 0,
	 "percentage of a buffer that has it read before switchrate says so"},
	{"bufpolicy", R, set_policy, DTRACEOPT_BUFPOLICY, 0, "ring, fill or switch"},
	{"bufresize", R, set_resize, DTRACEOPT_BUFRESIZE, 0,
	 "auto or manual: smaller buffers if memory is short"},
	{"bufsize", R, set_size, DTRACEOPT_BUFSIZE, 0, "principal buffer of a CPU"},
	{"cleanrate", R, set_time, DTRACEOPT_CLEANRATE, 0,
	 "how often dynamic variables are cleaned"},
	{"core", C, set_nothing, 0, 0, "accepted for old scripts, without effect"},
	{"cpp", C, set_bool, DT_COPT_CPP, 0, "run the C preprocessor first"},
	{"cppargs", C, set_cpparg, 0, 0, "one more argument of the preprocessor"},
	{"cpphdrs", C, set_cpphdrs, DT_COPT_CPPHDRS, 0, "the preprocessor lists headers"},
	{"cpppath", C, set_cpppath, 0, 0, "the preprocessor to use"},
	{"cpu", R, set_number, DTRACEOPT_CPU, 0, "the only CPU to trace on"},
	{"ctfpath", C, set_refused, 0, 0, "types are the kernel's own, from BTF"},
	{"ctypes", C, set_refused, 0, 0, "types are not written to files"},
	{"debug", C, set_bool, DT_COPT_DEBUG, 0, "messages of the library about itself"},
	{"debugassert", C, set_refused, 0, 0, "the library has no assertions to choose from"},
	{"defaultargs", C, set_bool, DT_COPT_DEFAULTARGS, 0,
	 "missing script arguments are 0 or \"\""},
	{"define", C, set_cpparg, 0, 'D', "define a macro of the preprocessor"},
	{"destructive", R, set_bool, DTRACEOPT_DESTRUCTIVE, 0, "allow destructive actions"},
	{"disallow_dsym", C, set_refused, 0, 0, "there are no dSYM bundles"},
	{"disasm", C, set_refused, 0, 0,
	 "-S shows the instructions that the module gets, there is no other form of them"},
	{"dofstashpath", C, set_refused, 0, 0,
	 "probes register with the module, nothing is stashed in files"},
	{"droptags", C, set_bool, DT_COPT_DROPTAGS, 0, "messages of drops begin with their tag"},
	{"dtypes", C, set_refused, 0, 0, "types are not written to files"},
	{"dynvarsize", R, set_size, DTRACEOPT_DYNVARSIZE, 0, "memory for dynamic variables"},
	{"empty", C, set_bool, DT_COPT_EMPTY, 0, "an empty program is fine"},
	{"encoding", C, set_encoding, DT_COPT_ENCODING, 0,
	 "ascii or utf8: characters that aggpack draws with"},
	{"errtags", C, set_bool, DT_COPT_ERRTAGS, 0,
	 "messages of the compiler begin with their tag"},
	{"evaltime", C, set_evaltime, DT_COPT_EVALTIME, 0,
	 "where -c and -W stop a program: exec, preinit, postinit, main"},
	{"exitstatus", C, set_bool, DT_COPT_EXITSTATUS, 0,
	 "end with the exit status of $target, if -c started it"},
	{"flowindent", D, set_bool, DTRACEOPT_FLOWINDENT, 0, "indent by entry and return"},
	{"followfork", R, set_bool, DTRACEOPT_FOLLOWFORK, 0,
	 "children of a process are traced as it is, until they execute another program"},
	{"grabanon", R, set_refused, 0, 0, "there is no tracing before the system is up"},
	{"incdir", C, set_cpparg, 0, 'I', "a directory with headers for the preprocessor"},
	{"iregs", C, set_iregs, DT_COPT_IREGS, DIF_DIR_NREGS,
	 "registers that programs may use, from 5 to 8"},
	{"jstackframes", R, set_number, DTRACEOPT_JSTACKFRAMES, 0, "frames of jstack()"},
	{"jstackstrsize", R, set_size, DTRACEOPT_JSTACKSTRSIZE, 0, "string space of jstack()"},
	{"kallsyms", C, set_kallsyms, 0, 0, "file with the symbols of the kernel"},
	{"kdefs", C, set_clear, DT_COPT_KNODEFS, 0, "kernel symbols must be defined"},
	{"knodefs", C, set_bool, DT_COPT_KNODEFS, 0, "kernel symbols need not be defined"},
	{"late", C, set_late, DT_COPT_LATE, 0,
	 "accepted for old scripts, without effect: dynamic, static"},
	{"lazyload", C, set_bool, DT_COPT_LAZYLOAD, 0, "accepted for -G, without effect"},
	{"ldpath", C, set_nothing, 0, 0, "accepted for -G, which needs no linker"},
	{"libdir", C, set_libdir, 0, 0, "one more directory with D libraries"},
	{"linkmode", C, set_linkmode, DT_COPT_LINKMODE, 0,
	 "accepted for old scripts, without effect: kernel, primary, dynamic, static"},
	{"linknommap", C, set_refused, 0, 0, "-G reads objects in one way only"},
	{"linktype", C, set_linktype, DT_COPT_LINKTYPE, 0, "what -G writes: elf or dof"},
	{"lockmem", C, set_nothing, 0, 0, "accepted, without effect: there is no BPF"},
	{"mangled", C, set_refused, 0, 0, "names of C++ are always shown in plain"},
	{"maxframes", R, set_number, DTRACEOPT_MAXFRAMES, 0,
	 "most frames of a stack, whatever is asked for"},
	{"modpath", C, set_btfpath, 0, 0, "another name of btfpath"},
	{"noerror", C, set_refused, 0, 0, "faults of clauses are always told"},
	{"nojtanalysis", C, set_refused, 0, 0,
	 "probes within functions need no analysis of jump tables"},
	{"nolibs", C, set_bool, DT_COPT_NOLIBS, 0, "do not load D libraries"},
	{"noresolve", D, set_clear, DTRACEOPT_STACKSYMBOLS, 0,
	 "print addresses as numbers, without symbols"},
	{"nspec", R, set_number, DTRACEOPT_NSPEC, 0, "number of speculative buffers"},
	{"objcopypath", C, set_refused, 0, 0, "-G needs no objcopy"},
	{"oformat", C, set_oformat, DT_COPT_OFORMAT, 0, "output as text, json or xml"},
	{"pcapsize", R, set_refused, 0, 0, "there is no action pcap()"},
	{"pgmax", C, set_number, DT_COPT_PGMAX, UINT32_MAX,
	 "probes that a pattern of processes may stand for"},
	{"preallocate", C, set_nothing, 0, 0, "accepted for old scripts, without effect"},
	{"printsize", D, set_refused, 0, 0, "print() shows the whole of its value"},
	{"procfspath", C, set_refused, 0, 0, "processes are those of /proc"},
	{"pspec", C, set_bool, DT_COPT_PSPEC, 0,
	 "an incomplete description is a provider, module or function"},
	{"quiet", D, set_bool, DTRACEOPT_QUIET, 0, "only what the program prints"},
	{"quietresize", D, set_bool, DTRACEOPT_QUIETRESIZE, 0,
	 "do not tell which buffers were made smaller"},
	{"rawbytes", D, set_bool, DTRACEOPT_RAWBYTES, 0, "print strings as bytes"},
	{"scratchsize", R, set_scratch, 0, DTRACE_SCRATCHSIZE,
	 "scratch memory that a clause needs: up to 256k, which it always has"},
	{"setenv", C, set_setenv, 0, 1, "set a variable for -c"},
	{"specsize", R, set_size, DTRACEOPT_SPECSIZE, 0, "size of a speculative buffer"},
	{"stackframes", R, set_number, DTRACEOPT_STACKFRAMES, 0, "frames of stack()"},
	{"stackindent", D, set_number, DTRACEOPT_STACKINDENT, 0, "columns before a stack"},
	{"stacklines", D, set_bool, DTRACEOPT_STACKLINES, 0,
	 "stacks of processes with source lines and inlined functions"},
	{"stacksymbols", D, set_bool, DTRACEOPT_STACKSYMBOLS, 0,
	 "print addresses by their symbols (on unless turned off)"},
	{"statusrate", D, set_time, DTRACEOPT_STATUSRATE, 0, "how often drops are looked for"},
	{"stdc", C, set_stdc, DT_COPT_STDC, 0, "a, c, s, t as -X"},
	{"strip", C, set_bool, DT_COPT_STRIP, 0, "accepted for -G, without effect"},
	{"strsize", R, set_size, DTRACEOPT_STRSIZE, 0, "size of strings"},
	{"switchrate", D, set_time, DTRACEOPT_SWITCHRATE, 0, "how often buffers are read"},
	{"sympath", C, set_refused, 0, 0,
	 "symbols are in the programs, or where their build id says"},
	{"syslibdir", C, set_syslibdir, 0, 0, "where the installed D libraries are"},
	{"sysslice", C, set_refused, 0, 0,
	 "processes are told apart by what they run, not by their slice"},
	{"temporal", R, set_bool, DTRACEOPT_TEMPORAL, 0,
	 "print in order of time (on unless turned off)"},
	{"tree", C, set_number, DT_COPT_TREE, 0, "print the compiler's trees"},
	{"tregs", C, set_number, DT_COPT_TREGS, DIF_DTR_NREGS,
	 "entries of the tuple stack that programs may use"},
	{"udefs", C, set_clear, DT_COPT_UNODEFS, 0, "user symbols must be defined"},
	{"undef", C, set_cpparg, 0, 'U', "undefine a macro of the preprocessor"},
	{"unodefs", C, set_bool, DT_COPT_UNODEFS, 0, "user symbols need not be defined"},
	{"unsetenv", C, set_setenv, 0, 0, "remove a variable for -c"},
	{"unwind", R, set_unwind, DTRACEOPT_UNWIND, 0,
	 "how frames of processes are found: tables (and frame pointers), or fp alone"},
	{"useruid", C, set_refused, 0, 0,
	 "processes are told apart by what they run, not by their user"},
	{"ustackframes", R, set_number, DTRACEOPT_USTACKFRAMES, 0, "frames of ustack()"},
	{"verbose", C, set_bool, DT_COPT_VERBOSE, 0, "print the compiled program"},
	{"version", C, set_version, DT_COPT_VERSION, 0,
	 "the D language the program is written for"},
	{"world", C, set_world, 0, 0, "who runs the program: kernel (the module) or user"},
	{"zdefs", C, set_bool, DT_COPT_ZDEFS, 0, "descriptions that match nothing are fine"},
	{"zone", R, set_zone, 0, 0, "global"},
};

#undef C
#undef R
#undef D

/* Return the option of a name, or NULL. */
static const struct option *option_find(const char *name)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (strcmp(options[i].name, name) == 0)
			return &options[i];
	return NULL;
}

/* Set the error for an unknown name, with the nearest option. Return -1. */
static int option_unknown(dtrace_hdl_t *dtp, const char *name)
{
	dt_spell_t near;

	spell_begin(&near, name);
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		spell_try(&near, options[i].name);
	if (near.name)
		return dt_set_error(dtp, EDT_BADOPTNAME, "no such option: %s (did you mean %s?)",
				    name, near.name);
	return dt_set_error(dtp, EDT_BADOPTNAME, "no such option: %s (dtrace -x help lists them)",
			    name);
}

int dtrace_setopt(dtrace_hdl_t *dtp, const char *name, const char *val)
{
	const struct option *opt = option_find(name);

	if (!opt)
		return option_unknown(dtp, name);
	if (dtp->active && opt->phase != PHASE_DYNAMIC)
		return dt_set_error(dtp, EDT_BADOPTCTX, "option %s cannot be changed while tracing",
				    name);
	return opt->set(dtp, opt, val);
}

int dtrace_getopt(dtrace_hdl_t *dtp, const char *name, dtrace_optval_t *val)
{
	const struct option *opt = option_find(name);

	if (!opt)
		return option_unknown(dtp, name);
	if (opt->phase == PHASE_COMPILE)
		*val = opt->set == set_bool || opt->set == set_number ? dtp->copts[opt->index]
								      : DTRACEOPT_UNSET;
	else
		*val = dtp->options[opt->index];
	return 0;
}

/* Return what an option does, or why it is refused; the text may be in buf. */
static const char *option_description(const struct option *opt, char *buf, size_t len)
{
	if (opt->set != set_refused)
		return opt->description;
	snprintf(buf, len, "refused: %s", opt->description);
	return buf;
}

int dtrace_option_iter(int (*func)(const char *name, const char *description, void *arg), void *arg)
{
	char buf[256];

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		int rv = func(options[i].name, option_description(&options[i], buf, sizeof(buf)),
			      arg);

		if (rv != 0)
			return rv;
	}
	return 0;
}
