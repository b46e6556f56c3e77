/* SPDX-License-Identifier: MIT */
/* function.c - subroutines, actions and aggregating functions, and what arguments they take. */
#include <string.h>

#include "compile.h"

#define FUNCTION_SUBR(text, num, res, args, destr)                                                 \
	{                                                                                          \
		.name = text, .class = FUNC_SUBR, .number = DIF_SUBR_##num, .result = &type_##res, \
		.proto = args, .destructive = destr                                                \
	}
#define FUNCTION_ACTION(text, num, kind, res, args)                            \
	{                                                                      \
		.name = text, .class = FUNC_ACTION, .number = DTRACEACT_##num, \
		.stmt = DT_STMT_##kind, .result = &type_##res, .proto = args   \
	}
#define FUNCTION_AGG(text, num, args)                                                            \
	{                                                                                        \
		.name = text, .class = FUNC_AGG, .number = DTRACEAGG_##num, .stmt = DT_STMT_AGG, \
		.result = &type_void, .proto = args                                              \
	}

static const dt_func_t functions[] = {
	FUNCTION_SUBR("alloca", ALLOCA, void_ptr, "i", false),
	FUNCTION_SUBR("basename", BASENAME, string, "s", false),
	FUNCTION_SUBR("bcopy", BCOPY, void, "aai", false),
	FUNCTION_SUBR("cleanpath", CLEANPATH, string, "s", false),
	FUNCTION_SUBR("copyin", COPYIN, void_ptr, "ii", false),
	FUNCTION_SUBR("copyinstr", COPYINSTR, string, "i|i", false),
	FUNCTION_SUBR("copyinto", COPYINTO, void, "iia", false),
	FUNCTION_SUBR("copyout", COPYOUT, void, "aii", true),
	FUNCTION_SUBR("copyoutstr", COPYOUTSTR, void, "sii", true),
	FUNCTION_SUBR("d_path", D_PATH, string, "a", false),
	FUNCTION_SUBR("dirname", DIRNAME, string, "s", false),
	FUNCTION_SUBR("getf", GETF, void_ptr, "i", false),
	FUNCTION_SUBR("getmajor", GETMAJOR, uint, "i", false),
	FUNCTION_SUBR("getminor", GETMINOR, uint, "i", false),
	FUNCTION_SUBR("htonl", HTONL, uint, "i", false),
	FUNCTION_SUBR("htonll", HTONLL, ulong, "i", false),
	FUNCTION_SUBR("htons", HTONS, ushort, "i", false),
	FUNCTION_SUBR("index", INDEX, int, "ss|i", false),
	FUNCTION_SUBR("inet_ntoa", INET_NTOA, string, "a", false),
	FUNCTION_SUBR("inet_ntoa6", INET_NTOA6, string, "a", false),
	FUNCTION_SUBR("inet_ntop", INET_NTOP, string, "ia", false),
	FUNCTION_SUBR("json", JSON, string, "ss", false),
	FUNCTION_SUBR("link_ntop", LINK_NTOP, string, "ia", false),
	FUNCTION_SUBR("lltostr", LLTOSTR, string, "i|i", false),
	FUNCTION_SUBR("memref", MEMREF, void_ptr, "ai", false),
	FUNCTION_SUBR("memstr", MEMSTR, string, "aii", false),
	FUNCTION_SUBR("mutex_owned", MUTEX_OWNED, int, "l", false),
	FUNCTION_SUBR("mutex_owner", MUTEX_OWNER, void_ptr, "l", false),
	FUNCTION_SUBR("mutex_type_adaptive", MUTEX_TYPE_ADAPTIVE, int, "l", false),
	FUNCTION_SUBR("mutex_type_spin", MUTEX_TYPE_SPIN, int, "l", false),
	FUNCTION_SUBR("ntohl", NTOHL, uint, "i", false),
	FUNCTION_SUBR("ntohll", NTOHLL, ulong, "i", false),
	FUNCTION_SUBR("ntohs", NTOHS, ushort, "i", false),
	FUNCTION_SUBR("progenyof", PROGENYOF, int, "i", false),
	FUNCTION_SUBR("rand", RAND, int, "", false),
	FUNCTION_SUBR("rindex", RINDEX, int, "ss|i", false),
	FUNCTION_SUBR("rw_iswriter", RW_ISWRITER, int, "l", false),
	FUNCTION_SUBR("rw_read_held", RW_READ_HELD, int, "l", false),
	FUNCTION_SUBR("rw_write_held", RW_WRITE_HELD, int, "l", false),
	FUNCTION_SUBR("speculation", SPECULATION, int, "", false),
	FUNCTION_SUBR("strchr", STRCHR, string, "si", false),
	FUNCTION_SUBR("strjoin", STRJOIN, string, "ss", false),
	FUNCTION_SUBR("strlen", STRLEN, ulong, "s", false),
	FUNCTION_SUBR("strrchr", STRRCHR, string, "si", false),
	FUNCTION_SUBR("strstr", STRSTR, string, "ss", false),
	FUNCTION_SUBR("strtok", STRTOK, string, "zs", false),
	FUNCTION_SUBR("strtoll", STRTOLL, long, "s|i", false),
	FUNCTION_SUBR("substr", SUBSTR, string, "si|i", false),
	FUNCTION_SUBR("tolower", TOLOWER, string, "s", false),
	FUNCTION_SUBR("toupper", TOUPPER, string, "s", false),

	FUNCTION_ACTION("breakpoint", BREAKPOINT, BREAKPOINT, void, ""),
	FUNCTION_ACTION("chill", CHILL, CHILL, void, "i"),
	FUNCTION_ACTION("clear", LIBACT, CLEAR, void, "*"),
	FUNCTION_ACTION("commit", COMMIT, COMMIT, void, "i"),
	FUNCTION_ACTION("denormalize", LIBACT, DENORMALIZE, void, "*"),
	FUNCTION_ACTION("discard", DISCARD, DISCARD, void, "i"),
	FUNCTION_ACTION("exit", EXIT, EXIT, void, "i"),
	FUNCTION_ACTION("freopen", FREOPEN, FREOPEN, void, ".*"),
	FUNCTION_ACTION("ftruncate", LIBACT, FTRUNCATE, void, ""),
	FUNCTION_ACTION("func", SYM, SYM, symaddr, "i"),
	FUNCTION_ACTION("jstack", JSTACK, JSTACK, stack, "*"),
	FUNCTION_ACTION("mod", MOD, MOD, symaddr, "i"),
	FUNCTION_ACTION("normalize", LIBACT, NORMALIZE, void, "*"),
	FUNCTION_ACTION("panic", PANIC, PANIC, void, ""),
	FUNCTION_ACTION("print", DIFEXPR, PRINT, void, "."),
	FUNCTION_ACTION("printa", PRINTA, PRINTA, void, "*"),
	FUNCTION_ACTION("printf", PRINTF, PRINTF, void, ".*"),
	FUNCTION_ACTION("printm", PRINTM, PRINTM, void, ".."),
	FUNCTION_ACTION("raise", RAISE, RAISE, void, "i"),
	FUNCTION_ACTION("setopt", LIBACT, SETOPT, void, "s|s"),
	FUNCTION_ACTION("speculate", SPECULATE, SPECULATE, void, "i"),
	FUNCTION_ACTION("stack", STACK, STACK, stack, "*"),
	FUNCTION_ACTION("stop", STOP, STOP, void, ""),
	FUNCTION_ACTION("sym", SYM, SYM, symaddr, "i"),
	FUNCTION_ACTION("system", SYSTEM, SYSTEM, void, ".*"),
	FUNCTION_ACTION("trace", DIFEXPR, TRACE, void, "."),
	FUNCTION_ACTION("tracemem", TRACEMEM, TRACEMEM, void, ".i*"),
	FUNCTION_ACTION("trunc", LIBACT, TRUNC, void, "*"),
	FUNCTION_ACTION("uaddr", UADDR, UADDR, usymaddr, "i"),
	FUNCTION_ACTION("ufunc", USYM, USYM, usymaddr, "i"),
	FUNCTION_ACTION("umod", UMOD, UMOD, usymaddr, "i"),
	FUNCTION_ACTION("ustack", USTACK, USTACK, stack, "*"),
	FUNCTION_ACTION("usym", USYM, USYM, usymaddr, "i"),

	FUNCTION_AGG("avg", AVG, "."),
	FUNCTION_AGG("count", COUNT, ""),
	FUNCTION_AGG("llquantize", LLQUANTIZE, ".iiii|."),
	FUNCTION_AGG("lquantize", LQUANTIZE, ".ii|i."),
	FUNCTION_AGG("max", MAX, "."),
	FUNCTION_AGG("min", MIN, "."),
	FUNCTION_AGG("quantize", QUANTIZE, ".|."),
	FUNCTION_AGG("stddev", STDDEV, "."),
	FUNCTION_AGG("sum", SUM, "."),
};

const dt_func_t *function_next(const dt_func_t *f)
{
	if (!f)
		return functions;
	return ++f < functions + sizeof(functions) / sizeof(functions[0]) ? f : NULL;
}

/* What a letter of a prototype asks for, in words; NULL if the node is that. */
static const char *function_mismatch(char letter, const dt_node_t *n)
{
	bool string = type_is_stringlike(n->type);

	if (letter != '.' && check_is_action(n))
		return "a value";
	switch (letter) {
	case 'i':
		return type_is_integer(n->type) ? NULL : "an integer";
	case 'a':
	case 'l':
		return string || check_fits(&type_void_ptr, n) ? NULL : "an address";
	case 's':
		return string ? NULL : "a string";
	case 'z':
		return string || check_fits(&type_string, n) ? NULL : "a string";
	default:
		return NULL;
	}
}

/* Is it a pointer to a lock that spins rather than sleeps? */
bool function_lock_spins(const dt_type_t *t)
{
	static const char *const names[] = {
		"spinlock_t",	"spinlock",    "raw_spinlock_t", "raw_spinlock",
		"rwlock_t",	"qrwlock",     "arch_spinlock_t", "qspinlock",
		"arch_rwlock_t",
	};

	t = type_resolve(t);
	if (t->kind != TYPE_POINTER)
		return false;
	for (t = t->base; t; t = t->kind == TYPE_TYPEDEF ? t->base : NULL)
		for (size_t i = 0; t->name && i < sizeof(names) / sizeof(names[0]); i++)
			if (strcmp(t->name, names[i]) == 0)
				return true;
	return false;
}

static void function_count_error(dt_ctx_t *cx, const dt_node_t *call, uint32_t least, uint32_t most)
{
	uint32_t n = ast_count(call->args);
	const char *range = pool_printf(&cx->tmp, most > least ? "%u to %u" : "%u", least, most);

	dt_error(cx, &call->loc, D_PROTO_LEN, "%s( ) takes %s argument%s, %u given",
		 call->func->name, range, most == 1 ? "" : "s", n);
}

void function_check(dt_ctx_t *cx, dt_node_t *call)
{
	const char *proto = call->func->proto, *bar = strchr(proto, '|');
	uint32_t most = (uint32_t)strlen(proto) - !!bar,
		 least = bar ? (uint32_t)(bar - proto) : most;
	uint32_t n = ast_count(call->args), i = 0;
	const char *wanted;

	if (n < least - (strchr(proto, '*') != NULL) || (n > most && !strchr(proto, '*')))
		function_count_error(cx, call, least, most);
	for (const dt_node_t *a = call->args; a; a = a->next, i++) {
		proto += *proto == '|';
		wanted = *proto && *proto != '*' ? function_mismatch(*proto++, a) : NULL;
		if (wanted)
			dt_error(cx, &a->loc, D_PROTO_ARG,
				 "argument %u of %s( ) must be %s, not of type %s", i + 1,
				 call->func->name, wanted, check_type_text(cx, a->type));
	}
}
