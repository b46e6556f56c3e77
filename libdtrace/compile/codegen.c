/* SPDX-License-Identifier: MIT */
/*
 * codegen.c - checked expressions to code. A virtual register holds a value: an integer or pointer
 * extended to 64 bits as its type says, or the address of a string, array, struct or union.
 */
#include <netinet/in.h>
#include <string.h>

#include "compile.h"
#include "dif_asm.h"
#include "kernel.h"

typedef struct dt_gen {
	dt_code_t code;
	dt_ctx_t *cx;
	const dt_node_t *root;	 /* variable being changed in part ... */
	uint32_t rootreg;	 /* ... and the address of its copy */
	uint32_t steps;		 /* nodes seen: inlines in inlines can make many of few */
	const dt_node_t *unused; /* expression whose value is not needed, or NULL */
} dt_gen_t;

#define GEN_MAXSTEPS (1u << 20)

static uint32_t gen(dt_gen_t *g, dt_node_t *n);

/* ---- helpers ---- */

static uint32_t gen_int(dt_gen_t *g, uint64_t value)
{
	uint32_t r;

	if (value == 0)
		return 0;
	r = dif_asm_reg(&g->code);
	dif_asm_wide(&g->code, DIF_OP_SETX, dif_asm_int(&g->code, value), r);
	return r;
}

static uint32_t gen_op(dt_gen_t *g, uint8_t op, uint32_t r1, uint32_t r2)
{
	uint32_t r = dif_asm_reg(&g->code);

	dif_asm_emit(&g->code, op, r1, r2, r);
	return r;
}

static uint32_t gen_string(dt_gen_t *g, const dt_node_t *n)
{
	uint32_t r = dif_asm_reg(&g->code), at = dif_asm_string(&g->code, n->str);

	if (at > 0xffff)
		dt_error(g->cx, &n->loc, D_TOO_BIG, "expression has more than %d bytes of strings",
			 0xffff);
	dif_asm_wide(&g->code, DIF_OP_SETS, at, r);
	return r;
}

/* Cut a value to an integer type, and extend it to 64 bits. */
static uint32_t gen_truncate(dt_gen_t *g, uint32_t r, const dt_type_t *t)
{
	uint64_t bits = dt_type_size(t) * 8;
	uint32_t shift;

	if (bits >= 64)
		return r;
	if (!type_is_signed(t))
		return gen_op(g, DIF_OP_AND, r, gen_int(g, (1ULL << bits) - 1));
	shift = gen_int(g, 64 - bits);
	return gen_op(g, DIF_OP_SRA, gen_op(g, DIF_OP_SLL, r, shift), shift);
}

/* Load an object of a type. flags: NODE_F_PROCESS if it is in memory of the process. */
static uint32_t gen_load(dt_gen_t *g, uint32_t address, const dt_type_t *t, uint32_t flags)
{
	bool sign = type_is_signed(t), process = flags & NODE_F_PROCESS;
	uint8_t op;

	switch (dt_type_size(t)) {
	case 1:
		op = sign ? DIF_OP_LDSB : DIF_OP_LDUB;
		break;
	case 2:
		op = sign ? DIF_OP_LDSH : DIF_OP_LDUH;
		break;
	case 4:
		op = sign ? DIF_OP_LDSW : DIF_OP_LDUW;
		break;
	default:
		op = DIF_OP_LDX;
	}
	return gen_op(g, process ? op - DIF_OP_LDSB + DIF_OP_ULDSB : op, address, 0);
}

/* Copy size bytes, or a string if size is 0, from memory of the process. */
static uint32_t gen_copyin(dt_gen_t *g, uint32_t address, uint64_t size)
{
	uint32_t r = dif_asm_reg(&g->code), length = size ? gen_int(g, size) : 0;

	dif_asm_emit(&g->code, DIF_OP_FLUSHTS, 0, 0, 0);
	dif_asm_emit(&g->code, DIF_OP_PUSHTV, DIF_TYPE_CTF, 0, address);
	if (size)
		dif_asm_emit(&g->code, DIF_OP_PUSHTV, DIF_TYPE_CTF, 0, length);
	dif_asm_wide(&g->code, DIF_OP_CALL, size ? DIF_SUBR_COPYIN : DIF_SUBR_COPYINSTR, r);
	return r;
}

/* Return the value of the object at an address: of one that is handled by its address, that. */
static uint32_t gen_object(dt_gen_t *g, uint32_t address, const dt_node_t *n)
{
	if (!type_is_byref(n->type))
		return gen_load(g, address, n->type, n->flags);
	return n->flags & NODE_F_PROCESS ? gen_copyin(g, address, dt_type_size(n->type)) : address;
}

/* Store a string in its space in a struct, with its NUL if the NUL fits. */
static void gen_store_string(dt_gen_t *g, uint32_t address, uint32_t value)
{
	uint32_t n = dif_asm_reg(&g->code), space = gen_int(g, DTRACE_STRSIZE_DEFAULT),
		 fits = dif_asm_label(&g->code);

	dif_asm_emit(&g->code, DIF_OP_FLUSHTS, 0, 0, 0);
	dif_asm_emit(&g->code, DIF_OP_PUSHTR, DIF_TYPE_STRING, 0, value);
	dif_asm_wide(&g->code, DIF_OP_CALL, DIF_SUBR_STRLEN, n);
	dif_asm_emit(&g->code, DIF_OP_ADD, n, gen_int(g, 1), n);
	dif_asm_emit(&g->code, DIF_OP_CMP, n, space, 0);
	dif_asm_branch(&g->code, DIF_OP_BLEU, fits);
	dif_asm_emit(&g->code, DIF_OP_MOV, space, 0, n);
	dif_asm_bind(&g->code, fits);
	dif_asm_emit(&g->code, DIF_OP_COPYS, value, n, address);
}

static void gen_store(dt_gen_t *g, uint32_t address, uint32_t value, const dt_type_t *t)
{
	static const uint8_t ops[] = {
		[1] = DIF_OP_STB, [2] = DIF_OP_STH, [4] = DIF_OP_STW, [8] = DIF_OP_STX};

	if (type_is_string(t))
		gen_store_string(g, address, value);
	else if (type_is_byref(t))
		dif_asm_emit(&g->code, DIF_OP_COPYS, value, gen_int(g, dt_type_size(t)), address);
	else
		dif_asm_emit(&g->code, ops[dt_type_size(t)], value, 0, address);
}

static uint32_t gen_offset(dt_gen_t *g, uint32_t address, uint64_t offset)
{
	return offset ? gen_op(g, DIF_OP_ADD, address, gen_int(g, offset)) : address;
}

/* ---- tuples ---- */

/* An argument or key, evaluated. */
typedef struct dt_pushed {
	uint32_t reg, size; /* size: register, or 0 */
	uint8_t op, type;
} dt_pushed_t;

static dt_pushed_t gen_arg(dt_gen_t *g, dt_node_t *n)
{
	dt_pushed_t p = {.reg = gen(g, n), .op = DIF_OP_PUSHTV, .type = DIF_TYPE_CTF};

	if (type_is_byref(n->type)) {
		p.op = DIF_OP_PUSHTR;
		p.type = type_is_string(n->type) ? DIF_TYPE_STRING : DIF_TYPE_CTF;
	}
	return p;
}

/* Evaluate all arguments before the first is pushed: each may use the tuple stack itself. */
static uint32_t gen_args(dt_gen_t *g, dt_node_t *args, dt_pushed_t *pushed)
{
	uint32_t n = 0;

	for (; args; args = args->next)
		pushed[n++] = gen_arg(g, args);
	return n;
}

/*
 * Push values. Sizes of values other than integers and strings are set right before the push,
 * because the engine must know them as constants.
 */
static void gen_push(dt_gen_t *g, const dt_pushed_t *pushed, uint32_t n, const dt_node_t *args)
{
	dif_asm_emit(&g->code, DIF_OP_FLUSHTS, 0, 0, 0);
	for (uint32_t i = 0; i < n; i++, args = args->next) {
		uint32_t size =
			pushed[i].op == DIF_OP_PUSHTR ? gen_int(g, dt_type_size(args->type)) : 0;

		dif_asm_emit(&g->code, pushed[i].op, pushed[i].type, size, pushed[i].reg);
	}
}

/* ---- variables ---- */

static void gen_note_var(dt_gen_t *g, const dt_ident_t *id, uint16_t flags)
{
	bool array = id->kind == IDENT_ASSOC || id->kind == IDENT_BUILTIN_ARRAY;

	dif_asm_var(&g->code, id->name, id->id, array ? DIFV_KIND_ARRAY : DIFV_KIND_SCALAR,
		    id->scope, flags, id->type);
}

/* Return whether a variable has data of the kernel only. */
static bool gen_is_kernel_var(const dt_ident_t *id)
{
	return id->kind == IDENT_BUILTIN &&
	       (id->id == DIF_VAR_CURTHREAD || id->id == DIF_VAR_IPL || id->id == DIF_VAR_CALLER ||
		id->id == DIF_VAR_STACKDEPTH);
}

/* Return whether a subroutine looks at objects of the kernel. */
static bool gen_is_kernel_func(const dt_func_t *func)
{
	return func->proto[0] == 'l' || func->number == DIF_SUBR_D_PATH ||
	       func->number == DIF_SUBR_GETF;
}

static uint32_t gen_var_load(dt_gen_t *g, const dt_ident_t *id)
{
	static const uint8_t scalar[] = {DIF_OP_LDGS, DIF_OP_LDTS, DIF_OP_LDLS};
	static const uint8_t array[] = {DIF_OP_LDGAA, DIF_OP_LDTAA};
	uint32_t r = dif_asm_reg(&g->code);

	gen_note_var(g, id, DIFV_F_REF);
	dif_asm_wide(&g->code, id->kind == IDENT_ASSOC ? array[id->scope] : scalar[id->scope],
		     id->id, r);
	return r;
}

static void gen_var_store(dt_gen_t *g, const dt_ident_t *id, uint32_t r)
{
	static const uint8_t scalar[] = {DIF_OP_STGS, DIF_OP_STTS, DIF_OP_STLS};
	static const uint8_t array[] = {DIF_OP_STGAA, DIF_OP_STTAA};

	gen_note_var(g, id, DIFV_F_MOD);
	dif_asm_wide(&g->code, id->kind == IDENT_ASSOC ? array[id->scope] : scalar[id->scope],
		     id->id, r);
}

/*
 * Load an element of args[]. The caller has left it in 64 bits, of which a narrower type uses the
 * lower ones.
 */
static uint32_t gen_builtin_array(dt_gen_t *g, dt_node_t *n)
{
	uint32_t index = gen(g, n->args), r = dif_asm_reg(&g->code);

	g->code.pending |= type_is_pending(n->type);
	gen_note_var(g, n->ident, DIFV_F_REF);
	dif_asm_emit(&g->code, DIF_OP_LDGA, n->ident->id, index, r);
	return type_is_integer(n->type) ? gen_truncate(g, r, n->type) : r;
}

static uint32_t gen_var(dt_gen_t *g, dt_node_t *n)
{
	dt_pushed_t keys[DIF_DTR_NREGS];

	if (n == g->root)
		return g->rootreg;
	switch (n->ident->kind) {
	case IDENT_PARAM:
		return (uint32_t)n->ident->reg;
	case IDENT_BUILTIN_ARRAY:
		return gen_builtin_array(g, n);
	case IDENT_ASSOC:
		gen_push(g, keys, gen_args(g, n->args, keys), n->args);
		return gen_var_load(g, n->ident);
	default:
		if (gen_is_kernel_var(n->ident))
			kernel_need(g->cx, &n->loc, n->ident->name);
		return gen_var_load(g, n->ident);
	}
}

/* ---- conditions ---- */

static void gen_branch(dt_gen_t *g, dt_node_t *n, uint32_t label, bool sense);

static uint8_t gen_compare_op(dt_tok_t op, bool is_signed)
{
	switch (op) {
	case TOK_EQ:
		return DIF_OP_BE;
	case TOK_NE:
		return DIF_OP_BNE;
	case TOK_LT:
		return is_signed ? DIF_OP_BL : DIF_OP_BLU;
	case TOK_LE:
		return is_signed ? DIF_OP_BLE : DIF_OP_BLEU;
	case TOK_GT:
		return is_signed ? DIF_OP_BG : DIF_OP_BGU;
	default:
		return is_signed ? DIF_OP_BGE : DIF_OP_BGEU;
	}
}

static dt_tok_t gen_opposite(dt_tok_t op)
{
	switch (op) {
	case TOK_EQ:
		return TOK_NE;
	case TOK_NE:
		return TOK_EQ;
	case TOK_LT:
		return TOK_GE;
	case TOK_LE:
		return TOK_GT;
	case TOK_GT:
		return TOK_LE;
	default:
		return TOK_LT;
	}
}

/*
 * Return whether both operands are pointers to parts of the same variable of the program. Then set
 * *left and *right to their nodes of the variable.
 */
static bool gen_same_root(dt_node_t *n, dt_node_t **left, dt_node_t **right)
{
	if (!type_is_pointer(n->left->type) || !type_is_pointer(n->right->type))
		return false;
	*left = ast_root(n->left, true);
	*right = ast_root(n->right, true);
	return *left && *right && (*left)->ident == (*right)->ident &&
	       (*left)->ident->kind == IDENT_VAR;
}

/*
 * Evaluate both operands. Pointers into one variable would point to two copies of it, so both are
 * counted from the variable's beginning: then their difference is right.
 */
static void gen_operands(dt_gen_t *g, dt_node_t *n, uint32_t *left, uint32_t *right)
{
	const dt_node_t *saved = g->root;
	uint32_t savedreg = g->rootreg;
	dt_node_t *lroot, *rroot;

	if (!gen_same_root(n, &lroot, &rroot)) {
		*left = gen(g, n->left);
		*right = gen(g, n->right);
		return;
	}
	g->rootreg = 0;
	g->root = lroot;
	*left = gen(g, n->left);
	g->root = rroot;
	*right = gen(g, n->right);
	g->root = saved;
	g->rootreg = savedreg;
}

static void gen_compare(dt_gen_t *g, dt_node_t *n, uint32_t label, bool sense)
{
	bool string = type_is_string(n->left->type);
	bool is_signed =
		string || (type_is_signed(n->left->type) && type_is_signed(n->right->type));
	uint32_t left, right;

	gen_operands(g, n, &left, &right);
	dif_asm_emit(&g->code, string ? DIF_OP_SCMP : DIF_OP_CMP, left, right, 0);
	dif_asm_branch(&g->code, gen_compare_op(sense ? n->op : gen_opposite(n->op), is_signed),
		       label);
}

/* Generate && or ||, which evaluates the right side only if the left side does not decide. */
static void gen_short_circuit(dt_gen_t *g, dt_node_t *n, uint32_t label, bool sense)
{
	bool stops = n->op == TOK_LOR; /* value of the left side that decides */
	uint32_t over;

	if (stops == sense) {
		gen_branch(g, n->left, label, sense);
		gen_branch(g, n->right, label, sense);
		return;
	}
	over = dif_asm_label(&g->code);
	gen_branch(g, n->left, over, stops);
	gen_branch(g, n->right, label, sense);
	dif_asm_bind(&g->code, over);
}

static void gen_test(dt_gen_t *g, dt_node_t *n, uint32_t label, bool sense)
{
	dif_asm_emit(&g->code, DIF_OP_TST, gen(g, ast_translated(n)), 0, 0);
	dif_asm_branch(&g->code, sense ? DIF_OP_BNE : DIF_OP_BE, label);
}

/* Branch to label if n is true (sense) or false (!sense). */
static void gen_branch(dt_gen_t *g, dt_node_t *n, uint32_t label, bool sense)
{
	if (n->kind == NODE_UNARY && n->op == TOK_NOT)
		gen_branch(g, n->left, label, !sense);
	else if (n->kind == NODE_BINARY && (n->op == TOK_LAND || n->op == TOK_LOR))
		gen_short_circuit(g, n, label, sense);
	else if (n->kind == NODE_BINARY && n->op >= TOK_EQ && n->op <= TOK_GE)
		gen_compare(g, n, label, sense);
	else
		gen_test(g, n, label, sense);
}

/* Return a register with 1 if n is true, else 0. */
static uint32_t gen_truth(dt_gen_t *g, dt_node_t *n)
{
	uint32_t no = dif_asm_label(&g->code), r = dif_asm_reg(&g->code);

	/* The 0 is set first: what n needs is then gone, or in other registers. */
	dif_asm_emit(&g->code, DIF_OP_MOV, 0, 0, r);
	gen_branch(g, n, no, false);
	dif_asm_wide(&g->code, DIF_OP_SETX, dif_asm_int(&g->code, 1), r);
	dif_asm_bind(&g->code, no);
	return r;
}

static uint32_t gen_cond(dt_gen_t *g, dt_node_t *n)
{
	uint32_t no = dif_asm_label(&g->code), end = dif_asm_label(&g->code),
		 r = dif_asm_reg(&g->code);

	gen_branch(g, n->left, no, false);
	dif_asm_emit(&g->code, DIF_OP_MOV, gen(g, n->right), 0, r);
	dif_asm_branch(&g->code, DIF_OP_BA, end);
	dif_asm_bind(&g->code, no);
	dif_asm_emit(&g->code, DIF_OP_MOV, gen(g, n->third), 0, r);
	dif_asm_bind(&g->code, end);
	return r;
}

static uint32_t gen_truth_of(dt_gen_t *g, dt_node_t *n)
{
	dt_node_t twice = {.kind = NODE_UNARY, .op = TOK_NOT, .left = n, .loc = n->loc},
		  once = twice;

	once.left = &twice;
	return gen_truth(g, &once);
}

/* ---- operators ---- */

static uint8_t gen_binary_op(dt_tok_t op, bool is_signed)
{
	switch (op) {
	case TOK_ADD:
		return DIF_OP_ADD;
	case TOK_SUB:
		return DIF_OP_SUB;
	case TOK_MUL:
		return DIF_OP_MUL;
	case TOK_DIV:
		return is_signed ? DIF_OP_SDIV : DIF_OP_UDIV;
	case TOK_MOD:
		return is_signed ? DIF_OP_SREM : DIF_OP_UREM;
	case TOK_AND:
		return DIF_OP_AND;
	case TOK_OR:
		return DIF_OP_OR;
	case TOK_SHL:
		return DIF_OP_SLL;
	case TOK_SHR:
		return is_signed ? DIF_OP_SRA : DIF_OP_SRL;
	default:
		return DIF_OP_XOR;
	}
}

/*
 * Return whether the result of an operator may have more bits than the type of its operands.
 * Overflow of signed operands is undefined, and << is computed in 64 bits.
 */
static bool gen_overflows(const dt_node_t *n)
{
	return !type_is_signed(n->type) &&
	       (n->op == TOK_ADD || n->op == TOK_SUB || n->op == TOK_MUL);
}

/* Let the address of an element be NULL, which faults, if its offset is outside of the array. */
static void gen_bound(dt_gen_t *g, const dt_node_t *n, uint32_t offset, uint32_t address)
{
	uint32_t inside = dif_asm_label(&g->code);

	dif_asm_emit(&g->code, DIF_OP_CMP, offset, gen_int(g, n->value), 0);
	dif_asm_branch(&g->code, DIF_OP_BLU, inside);
	dif_asm_emit(&g->code, DIF_OP_MOV, 0, 0, address);
	dif_asm_bind(&g->code, inside);
}

static uint32_t gen_arith(dt_gen_t *g, dt_node_t *n)
{
	uint32_t left, right, r;

	gen_operands(g, n, &left, &right);
	r = gen_op(g, gen_binary_op(n->op, type_is_signed(n->type)), left, right);
	if (n->flags & NODE_F_BOUNDED)
		gen_bound(g, n, right, r);
	return type_is_integer(n->type) && gen_overflows(n) ? gen_truncate(g, r, n->type) : r;
}

static uint32_t gen_xor_logical(dt_gen_t *g, dt_node_t *n)
{
	uint32_t left = gen_truth_of(g, n->left), right = gen_truth_of(g, n->right);

	return gen_op(g, DIF_OP_XOR, left, right);
}

static uint32_t gen_binary(dt_gen_t *g, dt_node_t *n)
{
	switch (n->op) {
	case TOK_COMMA:
		gen(g, n->left);
		return gen(g, n->right);
	case TOK_LXOR:
		return gen_xor_logical(g, n);
	case TOK_LAND:
	case TOK_LOR:
	case TOK_EQ:
	case TOK_NE:
	case TOK_LT:
	case TOK_LE:
	case TOK_GT:
	case TOK_GE:
		return gen_truth(g, n);
	default:
		return gen_arith(g, n);
	}
}

/*
 * Return a register with the address at which an object begins, and add constant offsets of members
 * and subscripts to *offset.
 */
static uint32_t gen_base(dt_gen_t *g, dt_node_t *n, uint64_t *offset)
{
	bool pointer = false; /* n is the address of the object, not the object */

	for (;; n = n->left) {
		if (pointer && n->kind == NODE_BINARY && n->op == TOK_ADD &&
		    n->right->kind == NODE_INT) {
			*offset += n->right->value;
		} else if (pointer && n->kind == NODE_CAST && type_is_byref(n->left->type)) {
			pointer = false;
		} else if (!pointer && n->kind == NODE_MEMBER) {
			*offset += n->member.offset;
		} else if (!pointer && n->kind == NODE_UNARY && n->op == TOK_MUL) {
			pointer = true;
		} else {
			return gen(g, n);
		}
	}
}

static uint32_t gen_address(dt_gen_t *g, dt_node_t *n)
{
	uint64_t offset = 0;
	uint32_t base = gen_base(g, n, &offset);

	return gen_offset(g, base, offset);
}

static uint32_t gen_unary(dt_gen_t *g, dt_node_t *n)
{
	uint32_t r;

	switch (n->op) {
	case TOK_AND:
		return gen_address(g, n->left);
	case TOK_NOT:
		return gen_truth(g, n);
	case TOK_MUL:
		return gen_object(g, gen_address(g, n), n);
	case TOK_SUB:
		r = gen_op(g, DIF_OP_SUB, 0, gen(g, n->left));
		break;
	case TOK_TILDE:
		r = gen_op(g, DIF_OP_NOT, gen(g, n->left), 0);
		break;
	default:
		return gen(g, n->left);
	}
	return type_is_signed(n->type) ? r : gen_truncate(g, r, n->type);
}

/* ---- members ---- */

/* Return the value of a bit-field whose bits are in a register, from a bit on. */
static uint32_t gen_bits(dt_gen_t *g, uint32_t r, const dt_member_t *m, uint32_t bitoff)
{
	r = gen_op(g, DIF_OP_SLL, r, gen_int(g, 64u - m->bits - bitoff));
	return gen_op(g, type_is_signed(m->type) ? DIF_OP_SRA : DIF_OP_SRL, r,
		      gen_int(g, 64u - m->bits));
}

static uint32_t gen_bits_load(dt_gen_t *g, uint32_t address, const dt_node_t *n)
{
	const dt_member_t *m = &n->member;

	return gen_bits(g, gen_load(g, address, m->type, n->flags), m, m->bitoff);
}

static void gen_bits_store(dt_gen_t *g, uint32_t address, uint32_t value, const dt_member_t *m)
{
	uint64_t mask = (m->bits < 64 ? 1ULL << m->bits : 0) - 1;
	uint32_t rest = gen_op(g, DIF_OP_AND, gen_load(g, address, m->type, 0),
			       gen_int(g, ~(mask << m->bitoff)));

	value = gen_op(g, DIF_OP_AND, value, gen_int(g, mask));
	value = gen_op(g, DIF_OP_SLL, value, gen_int(g, m->bitoff));
	gen_store(g, address, gen_op(g, DIF_OP_OR, value, rest), m->type);
}

static uint32_t gen_member_at(dt_gen_t *g, uint32_t address, const dt_node_t *n)
{
	if (n->kind == NODE_MEMBER && n->member.bits)
		return gen_bits_load(g, address, n);
	return gen_object(g, address, n);
}

static uint32_t gen_member(dt_gen_t *g, dt_node_t *n)
{
	return gen_member_at(g, gen_address(g, n), n);
}

/* ---- conversions, calls ---- */

static uint32_t gen_cast(dt_gen_t *g, dt_node_t *n)
{
	const dt_type_t *to = type_resolve(n->type), *from = type_resolve(n->left->type);
	uint32_t r;

	if (to == &type_bool)
		return gen_truth_of(g, n->left);
	if (to->kind == TYPE_POINTER && n->left->flags & NODE_F_PROCESS && type_is_byref(from))
		return gen_address(g, n->left);
	r = gen(g, n->left);
	if (to->kind == TYPE_STRING && from->in_process)
		return gen_copyin(g, r, 0);
	if (!type_is_integer(to) || to->size == 8)
		return r;
	if (type_is_integer(from) &&
	    (from->size < to->size ||
	     (from->size == to->size && from->is_signed == to->is_signed)) &&
	    (!from->is_signed || to->is_signed))
		return r;
	return gen_truncate(g, r, to);
}

/* Copy the address of the network to which an argument points from memory of the process. */
static uint32_t gen_copyin_inet(dt_gen_t *g, uint32_t r, const dt_type_t *pointer)
{
	uint64_t size = dt_type_size(type_resolve(pointer)->base);

	return gen_copyin(g, r, size < sizeof(uint32_t) ? sizeof(struct in6_addr) : size);
}

/*
 * Choose how arguments are pushed: strings of any C type as strings, all others as integers. Copy
 * strings and addresses of the network from memory of the process.
 */
static void gen_call_types(dt_gen_t *g, const dt_func_t *func, dt_pushed_t *args, uint32_t n,
			   const dt_node_t *nodes)
{
	const char *proto = func->proto;

	for (uint32_t i = 0; i < n; i++, nodes = nodes->next) {
		bool string;

		proto += *proto == '|';
		string = *proto == 's' || (*proto == 'z' && nodes->kind != NODE_INT);
		args[i].op = string ? DIF_OP_PUSHTR : DIF_OP_PUSHTV;
		args[i].type = string ? DIF_TYPE_STRING : DIF_TYPE_CTF;
		if (type_is_in_process(nodes->type) && string)
			args[i].reg = gen_copyin(g, args[i].reg, 0);
		else if (type_is_in_process(nodes->type) &&
			 (strchr("46", *proto) || func->number == DIF_SUBR_INET_NTOP))
			args[i].reg = gen_copyin_inet(g, args[i].reg, nodes->type);
		proto++;
	}
}

/* Add the argument behind a lock that tells its kind. Return the number of arguments added. */
static uint32_t gen_lock_kind(dt_gen_t *g, const dt_node_t *lock, dt_pushed_t *arg)
{
	if (!function_lock_spins(lock->type))
		return 0;
	*arg = (dt_pushed_t){
		.op = DIF_OP_PUSHTV, .type = DIF_TYPE_CTF, .reg = gen_int(g, DIF_LOCK_SPIN)};
	return 1;
}

static uint32_t gen_call(dt_gen_t *g, dt_node_t *n)
{
	dt_pushed_t args[DIF_DTR_NREGS];
	uint32_t nargs = gen_args(g, n->args, args), r = dif_asm_reg(&g->code);

	if (gen_is_kernel_func(n->func))
		kernel_need(g->cx, &n->loc, n->func->name);
	gen_call_types(g, n->func, args, nargs, n->args);
	if (n->func->proto[0] == 'l')
		nargs += gen_lock_kind(g, n->args, &args[nargs]);
	if (nargs)
		dif_asm_emit(&g->code, DIF_OP_FLUSHTS, 0, 0, 0);
	for (uint32_t i = 0; i < nargs; i++)
		dif_asm_emit(&g->code, args[i].op, args[i].type, 0, args[i].reg);
	dif_asm_wide(&g->code, DIF_OP_CALL, n->func->number, r);
	g->code.destructive |= n->func->destructive;
	return r;
}

/*
 * Generate the body of an inline. Parameters are kept in registers meanwhile, and an argument may
 * use the same inline.
 */
static uint32_t gen_inline(dt_gen_t *g, dt_node_t *n)
{
	const dt_ident_t *id = n->ident;
	int *saved = arena_alloc(&g->cx->tmp, (id->nparams + 1) * sizeof(*saved));
	uint32_t *regs = arena_alloc(&g->cx->tmp, (id->nparams + 1) * sizeof(*regs)), i = 0, r;

	for (dt_node_t *a = n->args; a; a = a->next)
		regs[i++] = gen(g, a);
	for (i = 0; i < id->nparams; i++) {
		saved[i] = id->params[i]->reg;
		id->params[i]->reg = (int)regs[i];
	}
	r = gen(g, id->body);
	for (i = 0; i < id->nparams; i++)
		id->params[i]->reg = saved[i];
	return r;
}

/* ---- assignments ---- */

/* Evaluate the right side of an assignment, which may use the current value in register old. */
static uint32_t gen_new_value(dt_gen_t *g, dt_node_t *n, uint32_t old)
{
	if (n->ident)
		n->ident->reg = (int)old;
	return gen(g, n->right);
}

static uint32_t gen_assign_result(const dt_node_t *n, uint32_t old, uint32_t value)
{
	return n->ident && n->value ? old : value;
}

static uint32_t gen_assign_scalar(dt_gen_t *g, dt_node_t *n)
{
	uint32_t old = n->ident ? gen_var(g, n->left) : 0, value = gen_new_value(g, n, old);

	gen_var_store(g, n->left->ident, value);
	return gen_assign_result(n, old, value);
}

static uint32_t gen_assign_assoc(dt_gen_t *g, dt_node_t *n)
{
	dt_pushed_t keys[DIF_DTR_NREGS];
	uint32_t nkeys = gen_args(g, n->left->args, keys), old = 0, value;

	if (n->ident) {
		gen_push(g, keys, nkeys, n->left->args);
		old = gen_var_load(g, n->left->ident);
	}
	value = gen_new_value(g, n, old);
	gen_push(g, keys, nkeys, n->left->args);
	gen_var_store(g, n->left->ident, value);
	return gen_assign_result(n, old, value);
}

static uint32_t gen_assign_memory(dt_gen_t *g, dt_node_t *n)
{
	uint32_t address = gen_address(g, n->left),
		 old = n->ident ? gen_member_at(g, address, n->left) : 0;
	uint32_t value = gen_new_value(g, n, old);

	if (n->left->kind == NODE_MEMBER && n->left->member.bits) {
		gen_bits_store(g, address, value, &n->left->member);
		if (n != g->unused)
			value = gen_bits(g, value, &n->left->member, 0);
	} else {
		gen_store(g, address, value, n->left->type);
	}
	return gen_assign_result(n, old, value);
}

/* Copy the value of a variable to scratch memory: zeros if it has none. */
static uint32_t gen_copy(dt_gen_t *g, uint32_t from, const dt_type_t *t)
{
	uint32_t none = dif_asm_label(&g->code), size = gen_int(g, dt_type_size(t));
	uint32_t copy = gen_op(g, DIF_OP_ALLOCS, size, 0);

	dif_asm_emit(&g->code, DIF_OP_TST, from, 0, 0);
	dif_asm_branch(&g->code, DIF_OP_BE, none);
	dif_asm_emit(&g->code, DIF_OP_COPYS, from, size, copy);
	dif_asm_bind(&g->code, none);
	return copy;
}

/*
 * Assign to a part of a variable: change a copy, then assign the whole copy, since loads give
 * copies.
 */
static uint32_t gen_assign_part(dt_gen_t *g, dt_node_t *n, dt_node_t *root)
{
	const dt_node_t *saved = g->root;
	uint32_t savedreg = g->rootreg, nkeys = 0, value;
	dt_pushed_t keys[DIF_DTR_NREGS];

	if (root->ident->kind == IDENT_ASSOC) {
		nkeys = gen_args(g, root->args, keys);
		gen_push(g, keys, nkeys, root->args);
	}
	g->rootreg = gen_copy(g, gen_var_load(g, root->ident), root->type);
	g->root = root;
	value = gen_assign_memory(g, n);
	if (root->ident->kind == IDENT_ASSOC)
		gen_push(g, keys, nkeys, root->args);
	gen_var_store(g, root->ident, g->rootreg);
	g->root = saved;
	g->rootreg = savedreg;
	return value;
}

static uint32_t gen_assign(dt_gen_t *g, dt_node_t *n)
{
	dt_node_t *root;

	if (n->left->kind == NODE_VAR && n->left->ident->kind == IDENT_ASSOC)
		return gen_assign_assoc(g, n);
	if (n->left->kind == NODE_VAR)
		return gen_assign_scalar(g, n);
	root = ast_root(n->left, false);
	if (root && ast_is_copied(root))
		return gen_assign_part(g, n, root);
	if (root)
		gen_note_var(g, root->ident, DIFV_F_MOD);
	return gen_assign_memory(g, n);
}

/* ---- translated objects ---- */

/* Make a translated struct with all its members in scratch memory. */
static uint32_t gen_xlate(dt_gen_t *g, dt_node_t *n)
{
	dt_translator_t *x;
	dt_member_t at;
	uint32_t base;
	int saved;

	if (type_is_pointer(n->type))
		dt_error(g->cx, &n->loc, D_CG_DYN,
			 "a translated object has no address: name a member");
	x = translator_whole(g->cx, n);
	saved = x->param->reg;
	x->param->reg = (int)gen(g, n->left);
	base = gen_op(g, DIF_OP_ALLOCS, gen_int(g, dt_type_size(n->type)), 0);
	for (const struct dt_xlmember *m = x->members; m; m = m->next) {
		type_member(n->type, m->name, &at);
		if (at.bits)
			gen_bits_store(g, gen_offset(g, base, at.offset), gen(g, m->body), &at);
		else
			gen_store(g, gen_offset(g, base, at.offset), gen(g, m->body), at.type);
	}
	x->param->reg = saved;
	return base;
}

/* ---- all of it ---- */

static uint32_t gen(dt_gen_t *g, dt_node_t *n)
{
	if (++g->steps > GEN_MAXSTEPS)
		dt_error(g->cx, &g->code.loc, D_TOO_BIG,
			 "expression is too large: its inlines use each other too often");
	switch (n->kind) {
	case NODE_INT:
		return gen_int(g, n->value);
	case NODE_STRING:
		return gen_string(g, n);
	case NODE_VAR:
		return gen_var(g, n);
	case NODE_UNARY:
		return gen_unary(g, n);
	case NODE_BINARY:
		return gen_binary(g, n);
	case NODE_COND:
		return gen_cond(g, n);
	case NODE_CAST:
		return gen_cast(g, n);
	case NODE_MEMBER:
		return gen_member(g, n);
	case NODE_ASSIGN:
		return gen_assign(g, n);
	case NODE_FUNC:
		return gen_call(g, n);
	case NODE_INLINE:
		return gen_inline(g, n);
	case NODE_XLATE:
		return gen_xlate(g, n);
	default:
		dt_error(g->cx, &n->loc, D_CG_DYN,
			 "a translated object is not a value: name a member");
	}
}

static dt_difo_t *gen_difo(dt_ctx_t *cx, dt_node_t *expr, bool effect)
{
	dt_gen_t g = {.cx = cx, .unused = effect ? expr : NULL};
	uint32_t r;

	dif_asm_init(&g.code, cx, &expr->loc);
	r = gen(&g, expr);
	dif_asm_emit(&g.code, DIF_OP_RET, 0, 0, effect ? 0 : r);
	regs_allocate(&g.code);
	return dif_asm_finish(&g.code, effect ? &type_void : expr->type);
}

dt_difo_t *codegen_difo(dt_ctx_t *cx, dt_node_t *expr)
{
	return gen_difo(cx, expr, false);
}

dt_difo_t *codegen_effect(dt_ctx_t *cx, dt_node_t *expr)
{
	return gen_difo(cx, expr, true);
}
