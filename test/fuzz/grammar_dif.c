/* SPDX-License-Identifier: MIT */
/*
 * grammar_dif.c - DIF programs from a grammar.
 *
 * A program is a list of statements. The kinds of values in registers are tracked along the code,
 * so that subroutines get strings, addresses and scratch where they expect them. A statement may be
 * repeated thousands of times. So a few bytes make the largest programs, and sums that wrap.
 */
#include "grammar_dif.h"
#include <dtrace/helper_dif.h>
#include <stdlib.h>

#define MAXDEPTH 3 /* of nested statements */
#define VARS	 8 /* of each scope and kind */
#define NREGS	 DIF_DIR_NREGS

enum kind { KIND_INT, KIND_STRING, KIND_SCRATCH, KIND_KERNEL, KIND_USER, KINDS };

struct grammar {
	struct choices *c;
	const struct grammar_world *w;
	struct build_difo *d;
	enum kind kinds[NREGS];
	uint32_t capacity, depth;
	uint32_t max; /* instructions, RET included */
};

static const char strs[] = "\0abc\0/usr/../lib//x.so\0{\"a\": [1, {\"b\": \"c\"}]}\0a[1].b\0,; \0"
			   "-0x12\0aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\0/a/./b/../../c/\0a\0";

/* A variable has the number 0x500 + 16 * group + n; VARS of the 16 in a group are declared. */
static const struct {
	uint8_t scope, kind, load, store;
} groups[] = {
	{DIFV_SCOPE_LOCAL, DIFV_KIND_SCALAR, DIF_OP_LDLS, DIF_OP_STLS},
	{DIFV_SCOPE_GLOBAL, DIFV_KIND_SCALAR, DIF_OP_LDGS, DIF_OP_STGS},
	{DIFV_SCOPE_THREAD, DIFV_KIND_SCALAR, DIF_OP_LDTS, DIF_OP_STTS},
	{DIFV_SCOPE_GLOBAL, DIFV_KIND_ARRAY, DIF_OP_LDGAA, DIF_OP_STGAA},
	{DIFV_SCOPE_THREAD, DIFV_KIND_ARRAY, DIF_OP_LDTAA, DIF_OP_STTAA},
};

/*
 * The arguments of each subroutine: i an integer, s a string, k memory of the kernel or scratch, u
 * memory of the process, d scratch to be written, n a size. Those after a dot are optional.
 */
static const char *const subr_args[DIF_SUBR_MAX + 1] = {
	[DIF_SUBR_RAND] = "",
	[DIF_SUBR_MUTEX_OWNED] = "k",
	[DIF_SUBR_MUTEX_OWNER] = "k",
	[DIF_SUBR_MUTEX_TYPE_ADAPTIVE] = "k",
	[DIF_SUBR_MUTEX_TYPE_SPIN] = "k",
	[DIF_SUBR_RW_READ_HELD] = "k",
	[DIF_SUBR_RW_WRITE_HELD] = "k",
	[DIF_SUBR_RW_ISWRITER] = "k",
	[DIF_SUBR_COPYIN] = "un",
	[DIF_SUBR_COPYINSTR] = "u.n",
	[DIF_SUBR_SPECULATION] = "",
	[DIF_SUBR_PROGENYOF] = "i",
	[DIF_SUBR_STRLEN] = "s",
	[DIF_SUBR_COPYOUT] = "kun",
	[DIF_SUBR_COPYOUTSTR] = "sun",
	[DIF_SUBR_ALLOCA] = "n",
	[DIF_SUBR_BCOPY] = "kdn",
	[DIF_SUBR_COPYINTO] = "und",
	[DIF_SUBR_MSGDSIZE] = "i",
	[DIF_SUBR_MSGSIZE] = "i",
	[DIF_SUBR_GETMAJOR] = "i",
	[DIF_SUBR_GETMINOR] = "i",
	[DIF_SUBR_DDI_PATHNAME] = "ii",
	[DIF_SUBR_STRJOIN] = "ss",
	[DIF_SUBR_LLTOSTR] = "i.i",
	[DIF_SUBR_BASENAME] = "s",
	[DIF_SUBR_DIRNAME] = "s",
	[DIF_SUBR_CLEANPATH] = "s",
	[DIF_SUBR_STRCHR] = "si",
	[DIF_SUBR_STRRCHR] = "si",
	[DIF_SUBR_STRSTR] = "ss",
	[DIF_SUBR_STRTOK] = "ss",
	[DIF_SUBR_SUBSTR] = "si.n",
	[DIF_SUBR_INDEX] = "ss.n",
	[DIF_SUBR_RINDEX] = "ss.n",
	[DIF_SUBR_HTONS] = "i",
	[DIF_SUBR_HTONL] = "i",
	[DIF_SUBR_HTONLL] = "i",
	[DIF_SUBR_NTOHS] = "i",
	[DIF_SUBR_NTOHL] = "i",
	[DIF_SUBR_NTOHLL] = "i",
	[DIF_SUBR_INET_NTOP] = "ik",
	[DIF_SUBR_INET_NTOA] = "k",
	[DIF_SUBR_INET_NTOA6] = "k",
	[DIF_SUBR_TOUPPER] = "s",
	[DIF_SUBR_TOLOWER] = "s",
	[DIF_SUBR_GETF] = "i",
	[DIF_SUBR_JSON] = "ss",
	[DIF_SUBR_STRTOLL] = "s.i",
	[DIF_SUBR_D_PATH] = "k",
	[DIF_SUBR_LINK_NTOP] = "ik",
	[DIF_SUBR_MEMREF] = "kn",
	[DIF_SUBR_MEMSTR] = "kin",
};

static bool emit(struct grammar *g, dif_instr_t in)
{
	struct build_difo *d = g->d;

	if (d->len >= g->max - 1)
		return false;
	if (d->len + 1 >= g->capacity) {
		g->capacity = g->capacity ? 2 * g->capacity : 256;
		d->text = realloc(d->text, g->capacity * sizeof(in));
		if (!d->text)
			abort();
	}
	d->text[d->len++] = in;
	return true;
}

static uint32_t any_register(struct grammar *g)
{
	return choose(g->c, NREGS);
}

/* Choose a register to write, and note that it has a value of that kind from now on. */
static uint32_t to_register(struct grammar *g, enum kind kind)
{
	uint32_t r = 1 + choose(g->c, NREGS - 1);

	g->kinds[r] = kind;
	return r;
}

/* ---- constants ---- */

static uint32_t set_int(struct grammar *g, uint64_t value, enum kind kind)
{
	uint32_t rd = to_register(g, kind), index = (uint32_t)(g->d->ints.n / 8);

	/* the table may have been filled: an index beyond 16 bits gets another value */
	bytes_add(&g->d->ints, &value, sizeof(value));
	emit(g, DIF_INSTR_WIDE(DIF_OP_SETX, index & 0xffff, rd));
	return rd;
}

static uint32_t set_size(struct grammar *g)
{
	static const uint64_t limits[] = {
		64,	    256,      4096, DTRACE_SCRATCHSIZE, 1U << 20, DTRACE_STRSIZE_MAX,
		UINT32_MAX, INT64_MAX};

	return set_int(g, choose_size(g->c, limits[choose(g->c, 8)]), KIND_INT);
}

static uint32_t set_string(struct grammar *g)
{
	uint32_t rd = to_register(g, KIND_STRING);
	uint64_t at = choose_rarely(g->c, 8) ? choose_size(g->c, g->d->strs.n - 1)
					     : choose(g->c, sizeof(strs));

	emit(g, DIF_INSTR_WIDE(DIF_OP_SETS, (uint32_t)at & 0xffff, rd));
	return rd;
}

static uint32_t set_scratch(struct grammar *g)
{
	uint32_t size = set_size(g), rd = to_register(g, KIND_SCRATCH);

	emit(g, DIF_INSTR_FMT(DIF_OP_ALLOCS, size, 0, rd));
	return rd;
}

static uint32_t set_address(struct grammar *g, bool user)
{
	uint64_t start = user ? g->w->user : g->w->kernel, at = choose_size(g->c, g->w->area);

	return set_int(g, start + at, user ? KIND_USER : KIND_KERNEL);
}

/* Return a register with a value of that kind: an existing one, or a new one. */
static uint32_t get(struct grammar *g, enum kind kind)
{
	uint32_t first = any_register(g);

	for (uint32_t i = 0; first && i < NREGS; i++) {
		uint32_t r = (first + i) % NREGS;

		if (r && g->kinds[r] == kind)
			return r;
	}
	switch (kind) {
	case KIND_STRING:
		return choose_rarely(g->c, 3) ? set_address(g, false) : set_string(g);
	case KIND_SCRATCH:
		return set_scratch(g);
	case KIND_KERNEL:
	case KIND_USER:
		return set_address(g, kind == KIND_USER);
	default:
		return set_size(g);
	}
}

/* ---- statements ---- */

static void statement(struct grammar *g);

static void do_arithmetic(struct grammar *g)
{
	static const uint8_t ops[] = {DIF_OP_OR,   DIF_OP_XOR,	DIF_OP_AND, DIF_OP_SLL, DIF_OP_SRL,
				      DIF_OP_SRA,  DIF_OP_SUB,	DIF_OP_ADD, DIF_OP_MUL, DIF_OP_SDIV,
				      DIF_OP_UDIV, DIF_OP_SREM, DIF_OP_UREM};
	uint32_t op = choose(g->c, sizeof(ops) + 2), r1 = any_register(g), r2 = any_register(g);

	/* an address plus or minus a number is still an address */
	uint32_t rd = to_register(g, g->kinds[r1]);

	if (op < sizeof(ops))
		emit(g, DIF_INSTR_FMT(ops[op], r1, r2, rd));
	else
		emit(g, DIF_INSTR_FMT(op == sizeof(ops) ? DIF_OP_NOT : DIF_OP_MOV, r1, 0, rd));
}

static void emit_compare(struct grammar *g, uint32_t op, uint32_t r1, uint32_t r2)
{
	emit(g, DIF_INSTR_FMT(op, r1, r2, 0));
}

/* A comparison, and a branch over some statements. */
static void do_branch(struct grammar *g)
{
	uint32_t how = choose(g->c, 3), op = DIF_OP_BA + choose(g->c, DIF_OP_BLEU - DIF_OP_BA + 1);
	uint32_t n = 1 + choose(g->c, 4), at;
	enum kind kinds[NREGS];

	if (how == 0)
		emit(g, DIF_INSTR_FMT(DIF_OP_TST, any_register(g), 0, 0));
	else if (how == 1)
		emit_compare(g, DIF_OP_CMP, any_register(g), any_register(g));
	else
		emit_compare(g, DIF_OP_SCMP, get(g, KIND_STRING), get(g, KIND_STRING));
	at = g->d->len;
	if (!emit(g, DIF_INSTR_BRANCH(op, 0)))
		return;
	memcpy(kinds, g->kinds, sizeof(kinds));
	while (n--)
		statement(g);
	memcpy(g->kinds, kinds, sizeof(kinds));
	if (g->d->len == at + 1)
		emit(g, DIF_INSTR_FMT(DIF_OP_NOP, 0, 0, 0));
	g->d->text[at] = DIF_INSTR_BRANCH(op, g->d->len);
}

/* The instructions of the next statement, many times over. */
static void do_repeat(struct grammar *g)
{
	uint32_t from = g->d->len, n = (uint32_t)choose_size(g->c, 1024), len;

	statement(g);
	len = g->d->len - from;
	if (n > g->max || choose_rarely(g->c, 16))
		n = g->max; /* until the program is as large as allowed */
	for (uint32_t i = 1; i < n && g->d->len + len < g->max - 1; i++) {
		for (uint32_t k = 0; k < len; k++) {
			dif_instr_t in = g->d->text[from + k];
			uint32_t op = DIF_INSTR_OP(in);

			if (op >= DIF_OP_BA && op <= DIF_OP_BLEU)
				in = DIF_INSTR_BRANCH(op, DIF_INSTR_LABEL(in) + i * len);
			emit(g, in);
		}
	}
}

/* NOPs, up to a number of instructions that may be near the limit. */
static void do_pad(struct grammar *g)
{
	uint64_t n = choose_size(g->c, DTRACE_DIFO_MAXINSTRS);

	while (g->d->len < n && emit(g, DIF_INSTR_FMT(DIF_OP_NOP, 0, 0, 0)))
		;
}

/* The kernel's memory, or scratch. */
static uint32_t get_memory(struct grammar *g)
{
	return get(g, choose_rarely(g->c, 2) ? KIND_SCRATCH : KIND_KERNEL);
}

static void do_load(struct grammar *g)
{
	bool user = choose(g->c, 4) == 3;
	uint32_t n = choose(g->c, 7), from = user ? get(g, KIND_USER) : get_memory(g);
	uint32_t first = user ? DIF_OP_ULDSB : choose_rarely(g->c, 4) ? DIF_OP_RLDSB : DIF_OP_LDSB;

	emit(g, DIF_INSTR_FMT(first + n, from, 0, to_register(g, KIND_INT)));
}

static void do_store(struct grammar *g)
{
	uint32_t op = DIF_OP_STB + choose(g->c, 4), value = any_register(g);

	emit(g, DIF_INSTR_FMT(op, value, 0, get(g, KIND_SCRATCH)));
}

static void do_copy(struct grammar *g)
{
	uint32_t from = get(g, choose(g->c, KINDS)), size = get(g, KIND_INT);

	emit(g, DIF_INSTR_FMT(DIF_OP_COPYS, from, size, get(g, KIND_SCRATCH)));
}

static void push(struct grammar *g, bool byref, uint32_t type, uint32_t size, uint32_t value)
{
	emit(g, DIF_INSTR_FMT(byref ? DIF_OP_PUSHTR : DIF_OP_PUSHTV, type, size, value));
}

static uint32_t argument(struct grammar *g, char what)
{
	switch (what) {
	case 's':
		return get(g, KIND_STRING);
	case 'k':
		return get_memory(g);
	case 'u':
		return get(g, KIND_USER);
	case 'd':
		return get(g, KIND_SCRATCH);
	case 'n':
		return get(g, KIND_INT);
	default:
		return choose_rarely(g->c, 2) ? set_int(g, choose(g->c, 40), KIND_INT)
					      : any_register(g);
	}
}

static enum kind result(uint32_t subr)
{
	switch (subr) {
	case DIF_SUBR_ALLOCA:
	case DIF_SUBR_COPYIN:
	case DIF_SUBR_MEMREF:
		return KIND_SCRATCH;
	case DIF_SUBR_COPYINSTR:
	case DIF_SUBR_STRJOIN:
	case DIF_SUBR_LLTOSTR:
	case DIF_SUBR_BASENAME:
	case DIF_SUBR_DIRNAME:
	case DIF_SUBR_CLEANPATH:
	case DIF_SUBR_STRCHR:
	case DIF_SUBR_STRRCHR:
	case DIF_SUBR_STRSTR:
	case DIF_SUBR_STRTOK:
	case DIF_SUBR_SUBSTR:
	case DIF_SUBR_TOUPPER:
	case DIF_SUBR_TOLOWER:
	case DIF_SUBR_JSON:
	case DIF_SUBR_MEMSTR:
		return KIND_STRING;
	default:
		return KIND_INT;
	}
}

static void do_call(struct grammar *g)
{
	uint32_t subr = choose(g->c, DIF_SUBR_MAX + 2), fewer = choose_rarely(g->c, 32);
	const char *args = subr > DIF_SUBR_MAX ? "" : subr_args[subr];
	uint32_t values[DIF_DTR_NREGS], n = 0;

	if (g->w->helper && !dtrace_helper_may_call(subr) && !fewer)
		subr = DIF_SUBR_STRJOIN, args = subr_args[subr];
	/* values first: the statements that make them must not find an incomplete tuple */
	for (; *args && n < DIF_DTR_NREGS; args++) {
		if (*args == '.' && choose_rarely(g->c, 2))
			break;
		if (*args != '.')
			values[n++] = argument(g, *args);
	}
	if (fewer && n)
		n--;
	for (uint32_t i = 0; i < n; i++)
		push(g, false, DIF_TYPE_CTF, 0, values[i]);
	emit(g, DIF_INSTR_WIDE(DIF_OP_CALL, subr, to_register(g, result(subr))));
	if (!choose_rarely(g->c, 16))
		emit(g, DIF_INSTR_FMT(DIF_OP_FLUSHTS, 0, 0, 0));
}

/* One entry of a tuple: an integer, a string, memory with a size. */
static void do_push(struct grammar *g)
{
	switch (choose(g->c, 4)) {
	case 0:
		push(g, false, DIF_TYPE_CTF, 0, any_register(g));
		break;
	case 1:
		push(g, true, DIF_TYPE_STRING, 0, get(g, KIND_STRING));
		break;
	case 2:
		push(g, true, DIF_TYPE_STRING, set_size(g), get(g, choose(g->c, KINDS)));
		break;
	default:
		push(g, true, DIF_TYPE_CTF, set_size(g), get_memory(g));
		break;
	}
}

/* Change the tuple stack, and leave it so. */
static void do_tuple(struct grammar *g)
{
	switch (choose(g->c, 5)) {
	case 0:
		do_push(g);
		break;
	case 1:
		do_push(g);
		emit(g, DIF_INSTR_FMT(DIF_OP_POPTS, 0, 0, 0));
		break;
	case 2:
		emit(g, DIF_INSTR_FMT(DIF_OP_POPTS, 0, 0, 0));
		break;
	case 3:
		push(g, true, choose(g->c, 3), any_register(g), any_register(g));
		break;
	default:
		emit(g, DIF_INSTR_FMT(DIF_OP_FLUSHTS, 0, 0, 0));
		break;
	}
}

/* Load or store the variable; the pushed entries are the key of an array. */
static void access_variable(struct grammar *g, uint32_t group, uint32_t n)
{
	uint32_t id = DIF_VAR_OTHER_UBASE + 16 * group + n;
	enum kind kind = n == 0 ? KIND_INT : n % 2 ? KIND_STRING : KIND_SCRATCH;

	if (choose_rarely(g->c, 2))
		emit(g, DIF_INSTR_WIDE(groups[group].store, id,
				       choose_rarely(g->c, 4) ? 0 : any_register(g)));
	else
		emit(g, DIF_INSTR_WIDE(groups[group].load, id, to_register(g, kind)));
}

/*
 * Push entries whose sizes add up to a bound, for sums that the verifier makes along the code. The
 * entries have 1 MiB or half of it, and may be popped again. The last one has the rest.
 */
static void do_sum(struct grammar *g)
{
	static const uint64_t bounds[] = {
		1ULL << 32, DTRACE_SCRATCHSIZE - 16, 1ULL << 31, 1ULL << 20, 1ULL << 33, 1ULL << 16,
	};
	uint64_t sum = bounds[choose(g->c, 6)] + 8 * (uint64_t)choose(g->c, 8) - 32;
	uint64_t each = 1ULL << (20 - choose(g->c, 2)), n = sum / (8 + each);
	uint32_t size = set_int(g, each, KIND_INT), value = any_register(g), pops = choose(g->c, 8);
	bool over = choose_rarely(g->c, 2); /* a jump skips the entries */
	uint32_t at = g->d->len;

	if (g->w->helper)
		return;
	if (over)
		emit(g, DIF_INSTR_BRANCH(DIF_OP_BA, 0));
	for (uint64_t i = 0; i < n; i++) {
		push(g, true, DIF_TYPE_CTF, size, value);
		if (pops)
			emit(g, DIF_INSTR_FMT(DIF_OP_POPTS, 0, 0, 0));
	}
	sum -= n * (8 + each);
	if (sum >= 8)
		push(g, true, DIF_TYPE_CTF, set_int(g, sum - 8, KIND_INT), value);
	access_variable(g, 3 + choose(g->c, 2), choose(g->c, VARS));
	if (choose_rarely(g->c, 2))
		emit(g, DIF_INSTR_FMT(DIF_OP_FLUSHTS, 0, 0, 0));
	if (over && g->d->len < g->max - 1)
		g->d->text[at] = DIF_INSTR_BRANCH(DIF_OP_BA, g->d->len);
	else if (over)
		g->d->text[at] = DIF_INSTR_FMT(DIF_OP_NOP, 0, 0, 0);
}

static void do_variable(struct grammar *g)
{
	uint32_t group = g->w->helper ? 0 : choose(g->c, 5), n = choose(g->c, VARS), keys, ends;
	uint32_t id = DIF_VAR_OTHER_UBASE + 16 * group + n, value;
	bool array = groups[group].kind == DIFV_KIND_ARRAY, store = choose_rarely(g->c, 2);
	enum kind kind = n == 0 ? KIND_INT : n % 2 ? KIND_STRING : KIND_SCRATCH;

	value = store ? (choose_rarely(g->c, 4) ? 0 : get(g, kind)) : 0;
	keys = array ? choose(g->c, 10) : 0;
	while (keys--)
		do_push(g);
	if (store)
		emit(g, DIF_INSTR_WIDE(groups[group].store, id, value));
	else
		emit(g, DIF_INSTR_WIDE(groups[group].load, id, to_register(g, kind)));
	ends = array ? choose(g->c, 4) : 0;
	if (ends)
		emit(g, DIF_INSTR_FMT(ends == 1 ? DIF_OP_POPTS : DIF_OP_FLUSHTS, 0, 0, 0));
}

static void do_builtin(struct grammar *g)
{
	uint32_t n = choose(g->c, 64), var;

	if (n < 40) {
		var = DIF_VAR_OTHER_MIN + n;
		if (g->w->helper && !dtrace_helper_may_load(var))
			var = DIF_VAR_ARG0 + n % 10;
		emit(g, DIF_INSTR_WIDE(DIF_OP_LDGS, var,
				       to_register(g, n % 2 ? KIND_STRING : KIND_KERNEL)));
	} else if (!g->w->helper) {
		emit(g,
		     DIF_INSTR_FMT(DIF_OP_LDGA, choose(g->c, DIF_VAR_UREGS + 1), get(g, KIND_INT),
				   to_register(g, n % 2 ? KIND_USER : KIND_KERNEL)));
	}
}

static void do_any(struct grammar *g)
{
	emit(g, choose_word(g->c));
}

static void statement(struct grammar *g)
{
	static void (*const all[])(struct grammar * g) = {
		do_arithmetic, do_branch, do_load,   do_store,	  do_copy,     do_call,
		do_call,       do_call,	  do_tuple,  do_variable, do_variable, do_variable,
		do_builtin,    do_sum,	  do_repeat, do_pad,
	};
	uint32_t how = choose(g->c, 40);

	if (g->depth == MAXDEPTH)
		return;
	g->depth++;
	if (how < sizeof(all) / sizeof(all[0]))
		all[how](g);
	else if (how < 24)
		get(g, how % KINDS);
	else if (how < 39)
		all[how % 12](g);
	else
		do_any(g);
	g->depth--;
}

/* ---- tables ---- */

static void declare(struct grammar *g, uint32_t group, uint32_t n)
{
	dtrace_difv_t v = {.dtdv_id = DIF_VAR_OTHER_UBASE + 16 * group + n,
			   .dtdv_kind = groups[group].kind,
			   .dtdv_scope = groups[group].scope};
	static const uint32_t sizes[VARS] = {8,	     0, 24, 40, 64, 4096, DTRACE_SCRATCHSIZE / 2,
					     1 << 20};

	v.dtdv_type.dtdt_kind = n % 2 ? DIF_TYPE_STRING : DIF_TYPE_CTF;
	v.dtdv_type.dtdt_flags = n == 0 ? 0 : n == 4 ? DIF_TF_BYUREF : DIF_TF_BYREF;
	v.dtdv_type.dtdt_size = sizes[n];
	bytes_add(&g->d->vars, &v, sizeof(v));
}

/* Declare variables that instructions need not use, up to the largest table and beyond. */
static void fill_variables(struct grammar *g)
{
	uint64_t n = choose_size(g->c, g->w->helper ? DTRACE_UHELP_MAXVARS : 65536);
	dtrace_difv_t v = {.dtdv_kind = DIFV_KIND_SCALAR,
			   .dtdv_scope = choose(g->c, 3),
			   .dtdv_type = {.dtdt_size = 8}};

	for (uint64_t i = g->d->vars.n / sizeof(v); i < n && i <= 65536; i++) {
		v.dtdv_id = (uint32_t)(DIF_VAR_OTHER_UBASE + i);
		bytes_add(&g->d->vars, &v, sizeof(v));
	}
}

static void fill(struct choices *c, struct bytes *b, uint64_t limit, uint64_t unit)
{
	uint64_t n = choose_size(c, limit);

	if (n <= limit + 1 && n * unit > b->n)
		bytes_add(b, NULL, n * unit - b->n);
}

static void result_type(struct grammar *g)
{
	static const dtrace_diftype_t types[] = {
		{.dtdt_size = 8},
		{.dtdt_size = 1},
		{.dtdt_kind = DIF_TYPE_STRING, .dtdt_flags = DIF_TF_BYREF},
		{.dtdt_flags = DIF_TF_BYREF, .dtdt_size = 40},
		{.dtdt_flags = DIF_TF_BYUREF, .dtdt_size = 40},
		{.dtdt_kind = DIF_TYPE_STRING, .dtdt_flags = DIF_TF_BYUREF, .dtdt_size = 30},
		{.dtdt_size = 0},
		{.dtdt_size = 4},
	};
	uint32_t how = choose(g->c, 16);

	g->d->rtype = types[how % 8];
	if (how >= 12 && g->d->rtype.dtdt_flags)
		g->d->rtype.dtdt_size =
			(uint32_t)choose_size(g->c, how % 2 ? 1U << 20 : DTRACE_STRSIZE_MAX);
}

/* Return a register with a value of the result's type. */
static uint32_t last_value(struct grammar *g)
{
	const dtrace_diftype_t *t = &g->d->rtype;

	if (choose_rarely(g->c, 8))
		return any_register(g);
	if (t->dtdt_flags & DIF_TF_BYUREF)
		return get(g, KIND_USER);
	return get(g, t->dtdt_kind == DIF_TYPE_STRING ? KIND_STRING
		      : t->dtdt_flags		      ? KIND_KERNEL
						      : KIND_INT);
}

void grammar_difo(struct choices *c, const struct grammar_world *w, struct build_difo *d)
{
	struct grammar g = {.c = c, .w = w, .d = d};
	uint32_t fills = choose(c, 16), n = 1 + choose(c, 24), last;

	memset(d, 0, sizeof(*d));
	g.max = DTRACE_DIFO_MAXINSTRS + choose_rarely(c, 16);
	bytes_add(&d->strs, strs, sizeof(strs));
	for (uint32_t group = 0; group < (w->helper ? 1U : 5U); group++)
		for (uint32_t i = 0; i < VARS; i++)
			declare(&g, group, i);
	if (fills == 15)
		fill_variables(&g);
	if (fills == 14)
		fill(c, &d->ints, 65536, 8);
	if (fills == 13) {
		/* long strings, and the last byte that must be NUL */
		fill(c, &d->strs, DTRACE_DIFO_MAXSTRTAB, 1);
		if (d->strs.n > sizeof(strs))
			memset(d->strs.p + sizeof(strs), 'a',
			       d->strs.n - sizeof(strs) - !choose_rarely(c, 8));
	}
	result_type(&g);
	while (n-- && choices_left(c))
		statement(&g);
	last = last_value(&g);
	if (!g.capacity)
		emit(&g, DIF_INSTR_FMT(DIF_OP_NOP, 0, 0, 0));
	/* this always fits: there is space for one instruction more than emit() uses */
	d->text[d->len++] = DIF_INSTR_FMT(DIF_OP_RET, 0, 0, last);
}
