/* SPDX-License-Identifier: MIT */
/* function.c - subroutines, actions and aggregating functions, with their prototypes. */
#include <string.h>

#include "compile.h"
#include "hint.h"

#define FUNCTION_SUBR(text, form, num, res, args, destr)                                   \
	{                                                                                  \
		.name = text, .usage = form, .class = FUNC_SUBR, .number = DIF_SUBR_##num, \
		.result = &type_##res, .proto = args, .destructive = destr                 \
	}
#define FUNCTION_ACTION(text, form, num, kind, res, args)                                     \
	{                                                                                     \
		.name = text, .usage = form, .class = FUNC_ACTION, .number = DTRACEACT_##num, \
		.stmt = DT_STMT_##kind, .result = &type_##res, .proto = args                  \
	}
#define FUNCTION_AGG(text, form, num, args)                                                \
	{                                                                                  \
		.name = text, .usage = form, .class = FUNC_AGG, .number = DTRACEAGG_##num, \
		.stmt = DT_STMT_AGG, .result = &type_void, .proto = args                   \
	}

static const dt_func_t functions[] = {
	FUNCTION_SUBR("alloca", "size_t size", ALLOCA, void_ptr, "i", false),
	FUNCTION_SUBR("basename", "string path", BASENAME, string, "s", false),
	FUNCTION_SUBR("bcopy", "void *from, void *to, size_t size", BCOPY, void, "ami", false),
	FUNCTION_SUBR("cleanpath", "string path", CLEANPATH, string, "s", false),
	FUNCTION_SUBR("copyin", "uintptr_t address, size_t size", COPYIN, void_ptr, "ii", false),
	FUNCTION_SUBR("copyinstr", "uintptr_t address [, size_t most]", COPYINSTR, string, "i|i",
		      false),
	FUNCTION_SUBR("copyinto", "uintptr_t address, size_t size, void *to", COPYINTO, void, "iim",
		      false),
	FUNCTION_SUBR("copyout", "void *from, uintptr_t address, size_t size", COPYOUT, void, "aii",
		      true),
	FUNCTION_SUBR("copyoutstr", "string s, uintptr_t address, size_t most", COPYOUTSTR, void,
		      "sii", true),
	FUNCTION_SUBR("d_path", "struct path *path", D_PATH, string, "a", false),
	FUNCTION_SUBR("dirname", "string path", DIRNAME, string, "s", false),
	FUNCTION_SUBR("getf", "int fd", GETF, void_ptr, "i", false),
	FUNCTION_SUBR("getmajor", "dev_t device", GETMAJOR, uint, "i", false),
	FUNCTION_SUBR("getminor", "dev_t device", GETMINOR, uint, "i", false),
	FUNCTION_SUBR("htonl", "uint32_t n", HTONL, uint, "i", false),
	FUNCTION_SUBR("htonll", "uint64_t n", HTONLL, ulong, "i", false),
	FUNCTION_SUBR("htons", "uint16_t n", HTONS, ushort, "i", false),
	FUNCTION_SUBR("index", "string s, string sought [, int start]", INDEX, int, "ss|i", false),
	FUNCTION_SUBR("inet_ntoa", "ipaddr_t *address", INET_NTOA, string, "4", false),
	FUNCTION_SUBR("inet_ntoa6", "struct in6_addr *address", INET_NTOA6, string, "6", false),
	FUNCTION_SUBR("inet_ntop", "int family, void *address", INET_NTOP, string, "ia", false),
	FUNCTION_SUBR("json", "string text, string path", JSON, string, "ss", false),
	FUNCTION_SUBR("link_ntop", "int hardware, void *address", LINK_NTOP, string, "ia", false),
	FUNCTION_SUBR("lltostr", "int64_t n [, int base]", LLTOSTR, string, "i|i", false),
	FUNCTION_SUBR("memref", "void *address, size_t size", MEMREF, void_ptr, "ai", false),
	FUNCTION_SUBR("memstr", "void *address, char separator, size_t size", MEMSTR, string, "aii",
		      false),
	FUNCTION_SUBR("mutex_owned", "struct mutex *lock", MUTEX_OWNED, int, "l", false),
	FUNCTION_SUBR("mutex_owner", "struct mutex *lock", MUTEX_OWNER, void_ptr, "l", false),
	FUNCTION_SUBR("mutex_type_adaptive", "struct mutex *lock", MUTEX_TYPE_ADAPTIVE, int, "l",
		      false),
	FUNCTION_SUBR("mutex_type_spin", "spinlock_t *lock", MUTEX_TYPE_SPIN, int, "l", false),
	FUNCTION_SUBR("ntohl", "uint32_t n", NTOHL, uint, "i", false),
	FUNCTION_SUBR("ntohll", "uint64_t n", NTOHLL, ulong, "i", false),
	FUNCTION_SUBR("ntohs", "uint16_t n", NTOHS, ushort, "i", false),
	FUNCTION_SUBR("progenyof", "pid_t pid", PROGENYOF, int, "i", false),
	FUNCTION_SUBR("rand", "", RAND, int, "", false),
	FUNCTION_SUBR("rindex", "string s, string sought [, int start]", RINDEX, int, "ss|i",
		      false),
	FUNCTION_SUBR("rw_iswriter", "struct rw_semaphore *lock", RW_ISWRITER, int, "l", false),
	FUNCTION_SUBR("rw_read_held", "struct rw_semaphore *lock", RW_READ_HELD, int, "l", false),
	FUNCTION_SUBR("rw_write_held", "struct rw_semaphore *lock", RW_WRITE_HELD, int, "l", false),
	FUNCTION_SUBR("speculation", "", SPECULATION, int, "", false),
	FUNCTION_SUBR("strchr", "string s, char c", STRCHR, string, "si", false),
	FUNCTION_SUBR("strjoin", "string a, string b", STRJOIN, string, "ss", false),
	FUNCTION_SUBR("strlen", "string s", STRLEN, ulong, "s", false),
	FUNCTION_SUBR("strrchr", "string s, char c", STRRCHR, string, "si", false),
	FUNCTION_SUBR("strstr", "string s, string sought", STRSTR, string, "ss", false),
	FUNCTION_SUBR("strtok", "string s, string separators", STRTOK, string, "zs", false),
	FUNCTION_SUBR("strtoll", "string s [, int base]", STRTOLL, long, "s|i", false),
	FUNCTION_SUBR("substr", "string s, int start [, int length]", SUBSTR, string, "si|i",
		      false),
	FUNCTION_SUBR("tolower", "string s", TOLOWER, string, "s", false),
	FUNCTION_SUBR("toupper", "string s", TOUPPER, string, "s", false),

	FUNCTION_ACTION("breakpoint", "", BREAKPOINT, BREAKPOINT, void, ""),
	FUNCTION_ACTION("chill", "int nanoseconds", CHILL, CHILL, void, "i"),
	FUNCTION_ACTION("clear", "@name", LIBACT, CLEAR, void, "*"),
	FUNCTION_ACTION("commit", "int speculation", COMMIT, COMMIT, void, "i"),
	FUNCTION_ACTION("denormalize", "@name", LIBACT, DENORMALIZE, void, "*"),
	FUNCTION_ACTION("discard", "int speculation", DISCARD, DISCARD, void, "i"),
	FUNCTION_ACTION("exit", "int status", EXIT, EXIT, void, "i"),
	FUNCTION_ACTION("freopen", "string format, ...", FREOPEN, FREOPEN, void, ".*"),
	FUNCTION_ACTION("ftruncate", "", LIBACT, FTRUNCATE, void, ""),
	FUNCTION_ACTION("func", "uintptr_t address", SYM, SYM, symaddr, "i"),
	FUNCTION_ACTION("jstack", "[int frames [, size_t strings]]", JSTACK, JSTACK, stack, "*"),
	FUNCTION_ACTION("mod", "uintptr_t address", MOD, MOD, symaddr, "i"),
	FUNCTION_ACTION("normalize", "@name, int divisor", LIBACT, NORMALIZE, void, "*"),
	FUNCTION_ACTION("panic", "", PANIC, PANIC, void, ""),
	FUNCTION_ACTION("print", "value", DIFEXPR, PRINT, void, "."),
	FUNCTION_ACTION("printa", "[string format,] @name, ...", PRINTA, PRINTA, void, "*"),
	FUNCTION_ACTION("printf", "string format, ...", PRINTF, PRINTF, void, ".*"),
	FUNCTION_ACTION("printm", "size_t size, memref(address, size)", PRINTM, PRINTM, void, ".."),
	FUNCTION_ACTION("raise", "int signal", RAISE, RAISE, void, "i"),
	FUNCTION_ACTION("setopt", "string option [, string value]", LIBACT, SETOPT, void, "s|s"),
	FUNCTION_ACTION("speculate", "int speculation", SPECULATE, SPECULATE, void, "i"),
	FUNCTION_ACTION("stack", "[int frames]", STACK, STACK, stack, "*"),
	FUNCTION_ACTION("stop", "", STOP, STOP, void, ""),
	FUNCTION_ACTION("sym", "uintptr_t address", SYM, SYM, symaddr, "i"),
	FUNCTION_ACTION("system", "string format, ...", SYSTEM, SYSTEM, void, ".*"),
	FUNCTION_ACTION("trace", "value", DIFEXPR, TRACE, void, "."),
	FUNCTION_ACTION("tracemem", "void *address, size_t size [, size_t shown]", TRACEMEM,
			TRACEMEM, void, ".i*"),
	FUNCTION_ACTION("trunc", "@name [, int keys]", LIBACT, TRUNC, void, "*"),
	FUNCTION_ACTION("uaddr", "uintptr_t address", UADDR, UADDR, usymaddr, "i"),
	FUNCTION_ACTION("ufunc", "uintptr_t address", USYM, USYM, usymaddr, "i"),
	FUNCTION_ACTION("umod", "uintptr_t address", UMOD, UMOD, usymaddr, "i"),
	FUNCTION_ACTION("ustack", "[int frames [, size_t strings]]", USTACK, USTACK, stack, "*"),
	FUNCTION_ACTION("usym", "uintptr_t address", USYM, USYM, usymaddr, "i"),

	FUNCTION_AGG("avg", "int value", AVG, "."),
	FUNCTION_AGG("count", "", COUNT, ""),
	FUNCTION_AGG("llquantize",
		     "int value, int factor, int low, int high, int steps [, int weight]",
		     LLQUANTIZE, ".iiii|."),
	FUNCTION_AGG("lquantize", "int value, int low, int high [, int step [, int weight]]",
		     LQUANTIZE, ".ii|i."),
	FUNCTION_AGG("max", "int value", MAX, "."),
	FUNCTION_AGG("min", "int value", MIN, "."),
	FUNCTION_AGG("quantize", "int value [, int weight]", QUANTIZE, ".|."),
	FUNCTION_AGG("stddev", "int value", STDDEV, "."),
	FUNCTION_AGG("sum", "int value", SUM, "."),
};

const dt_func_t *function_next(const dt_func_t *f)
{
	if (!f)
		return functions;
	return ++f < functions + sizeof(functions) / sizeof(functions[0]) ? f : NULL;
}

/* Return the type to which n points, behind typedefs; NULL if n is not a pointer or an array. */
static const dt_type_t *function_target(const dt_node_t *n)
{
	const dt_type_t *t = type_resolve(n->type);

	return t->kind == TYPE_POINTER || t->kind == TYPE_ARRAY ? type_resolve(t->base) : NULL;
}

/*
 * Return whether the target of a pointer may be a lock (letter l), or an IP address of 4 or 16
 * bytes (letters 4 and 6). void may be anything.
 */
static bool function_may_be(char letter, const dt_type_t *t)
{
	bool scalar = t->kind == TYPE_POINTER || (type_is_integer(t) && t->kind != TYPE_UNKNOWN);

	if (t->kind == TYPE_ARRAY)
		return letter != 'l';
	if (letter == '4' && type_is_integer(t))
		return t->size == 4 || (t->size == 1 && !t->is_signed);
	if (letter == '6' && type_is_integer(t))
		return t->size == 1 && !t->is_signed;
	return !scalar;
}

static bool function_points_to(char letter, const dt_node_t *n)
{
	const dt_type_t *t = function_target(n);

	if (type_is_pending(n->type))
		return true;
	if (!t)
		return check_fits(&type_void_ptr, n) && !type_is_stringlike(n->type);
	return !(type_is_stringlike(n->type) && t->is_signed) && function_may_be(letter, t);
}

/*
 * Return whether a value is a string, or a part of a copied variable. Writes to it would be lost.
 */
static bool function_is_copy(const dt_node_t *n)
{
	const dt_node_t *root = ast_root((dt_node_t *)n, type_is_pointer(n->type));

	if (n->kind == NODE_VAR && n->ident->copied)
		return true;
	return type_is_string(n->type) || (root && ast_is_copied(root));
}

/* Return a description of the argument for a letter of a prototype; NULL if n matches it. */
static const char *function_mismatch(char letter, const dt_node_t *n)
{
	bool string = type_is_stringlike(n->type);

	if (letter != '.' && check_is_action(n))
		return "a value";
	switch (letter) {
	case 'i':
		return type_is_integer(n->type) ? NULL : "an integer";
	case 'm':
		if (function_is_copy(n))
			return "memory from alloca()";
		return string || check_fits(&type_void_ptr, n) ? NULL : "an address";
	case 'l':
		return function_points_to(letter, n) ? NULL : "the address of a lock";
	case '4':
		return function_points_to(letter, n) ? NULL : "the address of an IPv4 address";
	case '6':
		return function_points_to(letter, n) ? NULL : "the address of an IPv6 address";
	case 'a':
		return string || check_fits(&type_void_ptr, n) ? NULL : "an address";
	case 's':
		return string ? NULL : "a string";
	case 'z':
		return string || check_fits(&type_string, n) ? NULL : "a string";
	default:
		return NULL;
	}
}

bool function_lock_spins(const dt_type_t *t)
{
	static const char *const names[] = {
		"spinlock_t", "spinlock",	 "raw_spinlock_t", "raw_spinlock",  "rwlock_t",
		"qrwlock",    "arch_spinlock_t", "qspinlock",	   "arch_rwlock_t",
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

dt_ctx_t *function_hint(dt_ctx_t *cx, const dt_func_t *f)
{
	return dt_hint(cx, "use %s(%s)", f->name, f->usage);
}

void function_bad_count(dt_ctx_t *cx, const dt_node_t *call, dt_tag_t tag, uint32_t least,
			uint32_t most)
{
	uint32_t n = ast_count(call->args);
	const char *range = arena_printf(&cx->tmp, most > least ? "%u to %u" : "%u", least, most);

	if (most == UINT32_MAX)
		range = arena_printf(&cx->tmp, "at least %u", least);
	dt_error(function_hint(cx, call->func), &call->loc, tag,
		 "%s() takes %s argument%s, but %u given", call->func->name, range,
		 (most == UINT32_MAX ? least : most) == 1 ? "" : "s", n);
}

/* Add a hint how a value is converted to the type that a letter of a prototype requires. */
static dt_ctx_t *function_arg_hint(dt_ctx_t *cx, const dt_func_t *f, char letter,
				   const dt_node_t *n)
{
	const dt_type_t *to = letter == 'i'	     ? &type_long
			      : strchr("sz", letter) ? &type_string
						     : &type_void_ptr;

	function_hint(cx, f);
	if (letter == 'm' && function_is_copy(n))
		return dt_hint(cx, "keep alloca(size) in a char *: this->p = (char *)alloca(size)");
	if (check_is_action(n) || strchr("l46", letter) ||
	    (letter == 'i' && type_is_string(n->type)))
		return cx;
	return hint_convert(cx, n->type, to);
}

void function_check(dt_ctx_t *cx, dt_node_t *call)
{
	const char *proto = call->func->proto, *bar = strchr(proto, '|');
	bool more = strchr(proto, '*');
	uint32_t most = (uint32_t)strlen(proto) - !!bar - more,
		 least = bar ? (uint32_t)(bar - proto) : most;
	uint32_t n = ast_count(call->args), i = 0;
	const char *wanted;
	char letter;

	if (n < least || (n > most && !more))
		function_bad_count(cx, call, D_PROTO_LEN, least, more ? UINT32_MAX : most);
	for (const dt_node_t *a = call->args; a; a = a->next, i++) {
		proto += *proto == '|';
		letter = *proto && *proto != '*' ? *proto++ : '.';
		wanted = function_mismatch(letter, a);
		if (wanted)
			dt_error(function_arg_hint(cx, call->func, letter, a), &a->loc, D_PROTO_ARG,
				 "argument %u of %s() must be %s, not %s", i + 1, call->func->name,
				 wanted, check_type_text(cx, a->type));
	}
}
