/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * dif_verify.c - check a DIFO before it may run, and bind its variables to those of the session.
 *
 * The verifier checks opcodes, registers, table indices, that branches go forward to an
 * instruction, that the last instruction returns, and that variables are declared and used as
 * declared. The interpreter does not check these again.
 */
#include "difo.h"
#include "table.h"
#include "var.h"

enum { /* fields of an instruction that name registers */
       DIF_R1 = 0x01,
       DIF_R2 = 0x02,
       DIF_RD = 0x04, /* written: not %r0 */
       DIF_RS = 0x08, /* read */
       DIF_BRANCH = 0x10,
       DIF_NOR2 = 0x20, /* r2 must be 0 */
       DIF_NOR1 = 0x40,
       DIF_NORD = 0x80,
       DIF_OTHER = 0x100 /* a rule of its own: dif_check_wide, dif_check_tuple */
};

#define DIF_ALU	  (DIF_R1 | DIF_R2 | DIF_RD)
#define DIF_UNARY (DIF_R1 | DIF_NOR2 | DIF_RD)
#define DIF_STORE (DIF_R1 | DIF_NOR2 | DIF_RS)

static const uint16_t dif_rules[DIF_OP_MAX + 1] = {
	[DIF_OP_OR] = DIF_ALU,
	[DIF_OP_XOR] = DIF_ALU,
	[DIF_OP_AND] = DIF_ALU,
	[DIF_OP_SLL] = DIF_ALU,
	[DIF_OP_SRL] = DIF_ALU,
	[DIF_OP_SRA] = DIF_ALU,
	[DIF_OP_SUB] = DIF_ALU,
	[DIF_OP_ADD] = DIF_ALU,
	[DIF_OP_MUL] = DIF_ALU,
	[DIF_OP_SDIV] = DIF_ALU,
	[DIF_OP_UDIV] = DIF_ALU,
	[DIF_OP_SREM] = DIF_ALU,
	[DIF_OP_UREM] = DIF_ALU,
	[DIF_OP_NOT] = DIF_UNARY,
	[DIF_OP_MOV] = DIF_UNARY,
	[DIF_OP_CMP] = DIF_R1 | DIF_R2 | DIF_NORD,
	[DIF_OP_SCMP] = DIF_R1 | DIF_R2 | DIF_NORD,
	[DIF_OP_TST] = DIF_R1 | DIF_NOR2 | DIF_NORD,
	[DIF_OP_BA] = DIF_BRANCH,
	[DIF_OP_BE] = DIF_BRANCH,
	[DIF_OP_BNE] = DIF_BRANCH,
	[DIF_OP_BG] = DIF_BRANCH,
	[DIF_OP_BGU] = DIF_BRANCH,
	[DIF_OP_BGE] = DIF_BRANCH,
	[DIF_OP_BGEU] = DIF_BRANCH,
	[DIF_OP_BL] = DIF_BRANCH,
	[DIF_OP_BLU] = DIF_BRANCH,
	[DIF_OP_BLE] = DIF_BRANCH,
	[DIF_OP_BLEU] = DIF_BRANCH,
	[DIF_OP_LDSB] = DIF_UNARY,
	[DIF_OP_LDSH] = DIF_UNARY,
	[DIF_OP_LDSW] = DIF_UNARY,
	[DIF_OP_LDUB] = DIF_UNARY,
	[DIF_OP_LDUH] = DIF_UNARY,
	[DIF_OP_LDUW] = DIF_UNARY,
	[DIF_OP_LDX] = DIF_UNARY,
	[DIF_OP_ULDSB] = DIF_UNARY,
	[DIF_OP_ULDSH] = DIF_UNARY,
	[DIF_OP_ULDSW] = DIF_UNARY,
	[DIF_OP_ULDUB] = DIF_UNARY,
	[DIF_OP_ULDUH] = DIF_UNARY,
	[DIF_OP_ULDUW] = DIF_UNARY,
	[DIF_OP_ULDX] = DIF_UNARY,
	[DIF_OP_RLDSB] = DIF_UNARY,
	[DIF_OP_RLDSH] = DIF_UNARY,
	[DIF_OP_RLDSW] = DIF_UNARY,
	[DIF_OP_RLDUB] = DIF_UNARY,
	[DIF_OP_RLDUH] = DIF_UNARY,
	[DIF_OP_RLDUW] = DIF_UNARY,
	[DIF_OP_RLDX] = DIF_UNARY,
	[DIF_OP_RET] = DIF_NOR1 | DIF_NOR2 | DIF_RS,
	[DIF_OP_NOP] = DIF_NOR1 | DIF_NOR2 | DIF_NORD,
	[DIF_OP_SETX] = DIF_RD | DIF_OTHER,
	[DIF_OP_SETS] = DIF_RD | DIF_OTHER,
	[DIF_OP_LDGA] = DIF_R2 | DIF_RD | DIF_OTHER,
	[DIF_OP_LDGS] = DIF_RD | DIF_OTHER,
	[DIF_OP_STGS] = DIF_RS | DIF_OTHER,
	[DIF_OP_LDTS] = DIF_RD | DIF_OTHER,
	[DIF_OP_STTS] = DIF_RS | DIF_OTHER,
	[DIF_OP_LDLS] = DIF_RD | DIF_OTHER,
	[DIF_OP_STLS] = DIF_RS | DIF_OTHER,
	[DIF_OP_LDGAA] = DIF_RD | DIF_OTHER,
	[DIF_OP_STGAA] = DIF_RS | DIF_OTHER,
	[DIF_OP_LDTAA] = DIF_RD | DIF_OTHER,
	[DIF_OP_STTAA] = DIF_RS | DIF_OTHER,
	[DIF_OP_CALL] = DIF_RD | DIF_OTHER,
	[DIF_OP_PUSHTR] = DIF_R2 | DIF_RS | DIF_OTHER,
	[DIF_OP_PUSHTV] = DIF_R2 | DIF_RS | DIF_OTHER,
	[DIF_OP_POPTS] = DIF_NOR1 | DIF_NOR2 | DIF_NORD,
	[DIF_OP_FLUSHTS] = DIF_NOR1 | DIF_NOR2 | DIF_NORD,
	[DIF_OP_ALLOCS] = DIF_UNARY,
	[DIF_OP_COPYS] = DIF_R1 | DIF_R2 | DIF_RS,
	[DIF_OP_STB] = DIF_STORE,
	[DIF_OP_STH] = DIF_STORE,
	[DIF_OP_STW] = DIF_STORE,
	[DIF_OP_STX] = DIF_STORE,
};

struct dif_check {
	struct difo *difo;
	struct var_space *vars;
	struct dof_err *err;
	struct hindex by_key; /* the variable table, unless it is short */
	uint32_t strsize;
	uint32_t pc;
	/* tuple entries pushed, in the order of the text, and what each takes in a key */
	uint32_t ntuple;
	uint32_t pushed[DIF_DTR_NREGS];
	/* constants in registers, as far as the text says in a straight line */
	uint64_t known[DIF_DIR_NREGS];
	bool is_known[DIF_DIR_NREGS];
};

uint32_t dif_size(const dtrace_diftype_t *type, uint32_t strsize)
{
	return type->dtdt_kind == DIF_TYPE_STRING && !type->dtdt_size ? strsize : type->dtdt_size;
}

/* The instruction is refused, with what is wrong with it. */
#define REFUSE(c, fmt, ...)                                                      \
	ERR((c)->err, -EINVAL, "DIFO section %u, instruction %u (0x%08x): " fmt, \
	    (c)->difo->section, (c)->pc, (c)->difo->text[(c)->pc], __VA_ARGS__)

/*
 * Check the fields of an instruction that all instructions of its form have: registers, unused
 * fields and the label of a branch. rule: of its opcode. -EINVAL with a message.
 */
static int dif_check_fields(struct dif_check *c, uint16_t rule, dif_instr_t in)
{
	uint32_t r1 = DIF_INSTR_R1(in), r2 = DIF_INSTR_R2(in), rd = DIF_INSTR_RD(in);

	if ((rule & DIF_R1 && r1 >= DIF_DIR_NREGS) || (rule & DIF_R2 && r2 >= DIF_DIR_NREGS) ||
	    (rule & (DIF_RD | DIF_RS) && rd >= DIF_DIR_NREGS))
		return REFUSE(c, "there are only %u registers", DIF_DIR_NREGS);
	if (rule & DIF_RD && rd == DIF_VAL_REG_R0)
		return REFUSE(c, "register %u cannot be written", rd);
	if ((rule & DIF_NOR1 && r1) || (rule & DIF_NOR2 && r2) || (rule & DIF_NORD && rd))
		return REFUSE(c, "operand that opcode %u does not have is not 0", DIF_INSTR_OP(in));
	if (!(rule & DIF_BRANCH))
		return 0;
	if (DIF_INSTR_LABEL(in) <= c->pc)
		return REFUSE(c, "branch to %u goes backward", DIF_INSTR_LABEL(in));
	if (DIF_INSTR_LABEL(in) >= c->difo->len)
		return REFUSE(c, "branch to %u passes the last instruction %u", DIF_INSTR_LABEL(in),
			      c->difo->len - 1);
	return 0;
}

#define DIF_FEW_VARS 16 /* so many are not worth an index */

/* Return the key of a variable in the index by number and scope. */
static uint32_t dif_var_key(uint32_t id, uint32_t scope)
{
	return scope << 16 | id; /* instructions have ids of 16 bits */
}

/* Return the first entry of the variable table for an id of 16 bits and a scope, or NULL. */
static const dtrace_difv_t *dif_find_var(const struct dif_check *c, uint32_t id, uint32_t scope)
{
	const dtrace_difv_t *vars = c->difo->vars;
	uint32_t key = dif_var_key(id, scope);

	if (!c->by_key.size) {
		for (uint32_t i = 0; i < c->difo->nvars; i++)
			if (vars[i].dtdv_id == id && vars[i].dtdv_scope == scope)
				return &vars[i];
		return NULL;
	}
	for (uint32_t n = hindex_first(&c->by_key, key); n; n = hindex_next(&c->by_key, n))
		if (vars[n - 1].dtdv_id == id && vars[n - 1].dtdv_scope == scope)
			return &vars[n - 1];
	return NULL;
}

/*
 * Index a variable table that has been checked. Entries that no instruction can mean, because of
 * their ids or because of an earlier entry, are left out, so that chains stay short. -ENOMEM with
 * a message. -EINTR.
 */
static int dif_index_vars(struct dif_check *c)
{
	const struct difo *difo = c->difo;
	int rc = 0;

	if (difo->nvars <= DIF_FEW_VARS)
		return 0;
	if (hindex_init(&c->by_key, difo->nvars) != 0)
		return ERR(c->err, -ENOMEM, "no memory for the %u variables of a program",
			   difo->nvars);
	for (uint32_t i = 0; !rc && i < difo->nvars; i++) {
		uint32_t id = difo->vars[i].dtdv_id, scope = difo->vars[i].dtdv_scope;

		rc = relax_at(i);
		if (!rc && id <= UINT16_MAX && !dif_find_var(c, id, scope))
			hindex_add(&c->by_key, dif_var_key(id, scope), i + 1);
	}
	return rc;
}

static bool dif_is_builtin(uint32_t id)
{
	return (id >= DIF_VAR_OTHER_MIN && id <= DIF_VAR_ERRNO) ||
	       (id >= DIF_VAR_CPU && id <= DIF_VAR_JAILNAME);
}

/*
 * Bind an instruction to a variable of the program, which must be declared and of the right kind:
 * it gets the number of the definition.
 *
 * The size of a key is that of the entries pushed in the order of the text. Branches may skip
 * pushes and flushes, so the size is no bound of what is there when the instruction runs: memory is
 * laid out for it, and dynvar_key() checks each entry against that.
 */
static int dif_bind_var(struct dif_check *c, uint32_t scope, uint32_t kind)
{
	static const char *const scopes[] = {"global", "thread-local", "clause-local"};
	struct difo *difo = c->difo;
	dif_instr_t in = difo->text[c->pc];
	uint32_t id = DIF_INSTR_VAR(in), index;
	const dtrace_difv_t *v = dif_find_var(c, id, scope);
	uint64_t key = 0;
	int rc;

	if (id < DIF_VAR_OTHER_UBASE)
		return REFUSE(c, "variable 0x%x cannot be used as a variable of the program", id);
	if (!v)
		return REFUSE(c, "%s variable 0x%x is not in the variable table", scopes[scope],
			      id);
	if (v->dtdv_kind != kind)
		return REFUSE(c, "%s variable 0x%x is declared as %s", scopes[scope], id,
			      v->dtdv_kind == DIFV_KIND_ARRAY ? "an array" : "a scalar");
	rc = var_define(c->vars, v, c->strsize, difo->strs ? difo->strs + v->dtdv_name : "", &index,
			c->err);
	if (rc)
		return rc;
	difo->text[c->pc] =
		DIF_INSTR_WIDE(DIF_INSTR_OP(in), DIF_VAR_OTHER_UBASE + index, DIF_INSTR_RD(in));
	if (kind == DIFV_KIND_SCALAR)
		return 0;
	if (!c->ntuple)
		return REFUSE(c, "array 0x%x is used without a key", id);
	for (uint32_t i = 0; i < c->ntuple; i++)
		key += c->pushed[i];
	if (key > DIF_MAX_KEY)
		return REFUSE(c, "the key of array 0x%x may take %llu bytes, allowed are %u", id,
			      (unsigned long long)key, DIF_MAX_KEY);
	if (key > c->vars->max_key)
		c->vars->max_key = (uint32_t)key;
	return 0;
}

/*
 * Check a call: the subroutine may be called, and has its arguments. Note what it does to the DIFO.
 */
static int dif_check_call(struct dif_check *c, uint32_t subr)
{
	const char *why = dif_subr_refused(subr);

	if (why)
		return REFUSE(c, "subroutine %u: %s", subr, why);
	if (c->ntuple < dif_subr_args(subr))
		return REFUSE(c, "subroutine %u needs %u arguments, %u are pushed", subr,
			      dif_subr_args(subr), c->ntuple);
	if (subr == DIF_SUBR_COPYOUT || subr == DIF_SUBR_COPYOUTSTR)
		c->difo->destructive = true;
	c->difo->speculates |= subr == DIF_SUBR_SPECULATION;
	c->difo->strtok |= subr == DIF_SUBR_STRTOK;
	return 0;
}

/* Check an instruction with a 16-bit index, or LDGA. */
static int dif_check_wide(struct dif_check *c, dif_instr_t in)
{
	uint32_t index = DIF_INSTR_VAR(in);

	switch (DIF_INSTR_OP(in)) {
	case DIF_OP_SETX:
		if (index >= c->difo->nints)
			return REFUSE(c, "integer %u of a table of %u", index, c->difo->nints);
		return 0;
	case DIF_OP_SETS:
		if (index >= c->difo->nstrs)
			return REFUSE(c, "string at %u in a table of %u bytes", index,
				      c->difo->nstrs);
		return 0;
	case DIF_OP_LDGA:
		if (DIF_INSTR_R1(in) > DIF_VAR_UREGS)
			return REFUSE(c, "there is no built-in array %u", DIF_INSTR_R1(in));
		return 0;
	case DIF_OP_LDGS:
		c->difo->vtime |= index == DIF_VAR_VTIMESTAMP;
		if (dif_is_builtin(index))
			return 0;
		return dif_bind_var(c, DIFV_SCOPE_GLOBAL, DIFV_KIND_SCALAR);
	case DIF_OP_STGS:
		if (dif_is_builtin(index))
			return REFUSE(c, "built-in variable 0x%x cannot be written", index);
		return dif_bind_var(c, DIFV_SCOPE_GLOBAL, DIFV_KIND_SCALAR);
	case DIF_OP_LDTS:
	case DIF_OP_STTS:
		return dif_bind_var(c, DIFV_SCOPE_THREAD, DIFV_KIND_SCALAR);
	case DIF_OP_LDLS:
	case DIF_OP_STLS:
		return dif_bind_var(c, DIFV_SCOPE_LOCAL, DIFV_KIND_SCALAR);
	case DIF_OP_LDGAA:
	case DIF_OP_STGAA:
		return dif_bind_var(c, DIFV_SCOPE_GLOBAL, DIFV_KIND_ARRAY);
	case DIF_OP_LDTAA:
	case DIF_OP_STTAA:
		return dif_bind_var(c, DIFV_SCOPE_THREAD, DIFV_KIND_ARRAY);
	case DIF_OP_CALL:
		return dif_check_call(c, index);
	default:
		return 0;
	}
}

/*
 * Return the bytes of a pushed entry in a key: a word for an integer, otherwise a length and the
 * bytes.
 */
static uint32_t dif_pushed_bytes(const struct dif_check *c, dif_instr_t in)
{
	uint32_t r2 = DIF_INSTR_R2(in);
	uint64_t size = c->strsize;

	if (DIF_INSTR_OP(in) == DIF_OP_PUSHTV)
		return 8;
	if (r2 != DIF_VAL_REG_R0 && c->is_known[r2] && c->known[r2])
		size = c->known[r2];
	if (size > DIF_MAX_VALUE)
		size = DIF_MAX_VALUE;
	return 8 + (((uint32_t)size + 7) & ~7U);
}

/* Follow the tuple stack: how many values are pushed, and how many bytes a key of them takes. */
static int dif_check_tuple(struct dif_check *c, dif_instr_t in)
{
	switch (DIF_INSTR_OP(in)) {
	case DIF_OP_PUSHTR:
	case DIF_OP_PUSHTV:
		if (DIF_INSTR_TYPE(in) > DIF_TYPE_STRING)
			return REFUSE(c, "type %u is unknown", DIF_INSTR_TYPE(in));
		if (c->ntuple < DIF_DTR_NREGS)
			c->pushed[c->ntuple++] = dif_pushed_bytes(c, in);
		return 0;
	case DIF_OP_POPTS:
		if (c->ntuple)
			c->ntuple--;
		return 0;
	case DIF_OP_FLUSHTS:
		c->ntuple = 0;
		return 0;
	default:
		return 0;
	}
}

/* Note the value of the register that an instruction writes, if it is a constant. */
static void dif_note_constants(struct dif_check *c, dif_instr_t in, uint16_t rule)
{
	uint32_t rd = DIF_INSTR_RD(in);

	if (!(rule & DIF_RD))
		return;
	c->is_known[rd] = DIF_INSTR_OP(in) == DIF_OP_SETX;
	if (c->is_known[rd])
		c->known[rd] = c->difo->ints[DIF_INSTR_INTEGER(in)];
}

/* Check the instruction at c->pc, and note what later ones depend on. -EINVAL with a message. */
static int dif_check_instr(struct dif_check *c)
{
	dif_instr_t in = c->difo->text[c->pc];
	uint32_t op = DIF_INSTR_OP(in);
	uint16_t rule = op <= DIF_OP_MAX ? dif_rules[op] : 0;
	int rc;

	if (!rule)
		return REFUSE(c, "opcode %u is unknown or not for programs", op);
	rc = dif_check_fields(c, rule, in);
	if (!rc && rule & DIF_OTHER)
		rc = dif_check_wide(c, in);
	if (!rc)
		rc = dif_check_tuple(c, in);
	if (!rc)
		dif_note_constants(c, in, rule);
	return rc;
}

/* Check the type of the result. -EINVAL with a message. */
static int dif_check_rtype(const struct difo *difo, uint32_t strsize, struct dof_err *err)
{
	const dtrace_diftype_t *t = &difo->rtype;
	uint32_t size = dif_size(t, strsize);

	if (t->dtdt_kind > DIF_TYPE_STRING || t->dtdt_flags & ~(DIF_TF_BYREF | DIF_TF_BYUREF))
		return ERR(err, -EINVAL,
			   "DIFO section %u: result type %u with flags 0x%x is unknown",
			   difo->section, t->dtdt_kind, t->dtdt_flags);
	if (size > DIF_MAX_VALUE)
		return ERR(err, -EINVAL, "DIFO section %u: a result of %u bytes is larger than %u",
			   difo->section, size, DIF_MAX_VALUE);
	if (t->dtdt_kind == DIF_TYPE_STRING && !(t->dtdt_flags & (DIF_TF_BYREF | DIF_TF_BYUREF)))
		return ERR(err, -EINVAL, "DIFO section %u: a string must be returned by reference",
			   difo->section);
	if (!(t->dtdt_flags & (DIF_TF_BYREF | DIF_TF_BYUREF)) && (size > 8 || (size & (size - 1))))
		return ERR(err, -EINVAL,
			   "DIFO section %u: a value of %u bytes must be returned by reference",
			   difo->section, size);
	return 0;
}

/* Check the table of variables, before they are bound. -EINVAL with a message. -EINTR. */
static int dif_check_vars(const struct difo *difo, struct dof_err *err)
{
	for (uint32_t i = 0; i < difo->nvars; i++) {
		const dtrace_difv_t *v = &difo->vars[i];
		int rc = relax_at(i);

		if (rc)
			return rc;
		if (v->dtdv_name >= difo->nstrs)
			return ERR(err, -EINVAL, "DIFO section %u: variable %u has no name",
				   difo->section, i);
		if (v->dtdv_kind > DIFV_KIND_SCALAR || v->dtdv_scope > DIFV_SCOPE_LOCAL)
			return ERR(err, -EINVAL,
				   "DIFO section %u: variable %u (%s) has kind %u and scope %u",
				   difo->section, i, difo->strs + v->dtdv_name, v->dtdv_kind,
				   v->dtdv_scope);
	}
	return 0;
}

/* Return the built-in variable whose value is all that the program returns. 0: it does more. */
static uint16_t dif_only_builtin(const struct difo *difo)
{
	dif_instr_t load = difo->text[0], ret = difo->text[difo->len - 1];

	if (difo->len != 2 || DIF_INSTR_OP(load) != DIF_OP_LDGS || !DIF_INSTR_RD(load) ||
	    DIF_INSTR_RD(load) != DIF_INSTR_RD(ret) || DIF_INSTR_VAR(load) >= DIF_VAR_OTHER_UBASE)
		return 0;
	return DIF_INSTR_VAR(load);
}

int dif_verify(struct difo *difo, struct var_space *vars, uint32_t strsize, struct dof_err *err)
{
	struct dif_check c = {.difo = difo, .vars = vars, .err = err, .strsize = strsize};
	int rc;

	if (!difo->len || difo->len > DTRACE_DIFO_MAXINSTRS)
		return ERR(err, -EINVAL, "DIFO section %u: %u instructions, allowed are 1 to %u",
			   difo->section, difo->len, DTRACE_DIFO_MAXINSTRS);
	if (difo->nstrs && difo->strs[difo->nstrs - 1])
		return ERR(err, -EINVAL, "DIFO section %u: the string table does not end with NUL",
			   difo->section);
	rc = dif_check_rtype(difo, strsize, err);
	if (!rc)
		rc = dif_check_vars(difo, err);
	if (!rc)
		rc = dif_index_vars(&c);
	for (c.pc = 0; !rc && c.pc < difo->len; c.pc++) {
		rc = relax_at(c.pc);
		if (!rc)
			rc = dif_check_instr(&c);
	}
	hindex_free(&c.by_key);
	if (!rc && DIF_INSTR_OP(difo->text[difo->len - 1]) != DIF_OP_RET)
		return ERR(err, -EINVAL, "DIFO section %u: the last instruction %u is not RET",
			   difo->section, difo->len - 1);
	if (!rc)
		difo->builtin = dif_only_builtin(difo);
	return rc;
}
