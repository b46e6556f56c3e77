/* SPDX-License-Identifier: MIT */
/*
 * fuzz_dif.c - any bytes as a DIF program: a program that the verifier accepts must run without
 * harm.
 *
 * The low bit of the first byte says how the rest is read: as instructions as they are, or as
 * instructions that are first made plausible. Plausible instructions have opcodes, registers and
 * indices that exist, and branch forward, so that the verifier accepts most of them. The other bits
 * choose the type of the result and how the program is used.
 */
#include "engine_build.h"
#include "engine_session.h"
#include <stdlib.h>

#define FUZZ_INSTRS 256
#define FUZZ_VARS   4 /* of each scope and kind */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint64_t fuzz_ints[] = {0,
				     1,
				     2,
				     7,
				     8,
				     16,
				     64,
				     255,
				     4096,
				     -1ULL,
				     1ULL << 63,
				     FUZZ_KERNEL,
				     FUZZ_USER,
				     FUZZ_KERNEL + FUZZ_AREA - 3,
				     FUZZ_USER + FUZZ_AREA - 5,
				     0x7fffffff};
static const char fuzz_strs[] =
	"\0abc\0/usr/../lib//x.so\0{\"a\": [1, {\"b\": \"c\"}]}\0a[1].b\0,; \0-0x12\0";

/* Scopes and kinds as the instructions need them: number 0x500 + 16 * group + n. */
static const struct {
	uint8_t scope, kind;
} fuzz_groups[] = {
	{DIFV_SCOPE_GLOBAL, DIFV_KIND_SCALAR}, {DIFV_SCOPE_THREAD, DIFV_KIND_SCALAR},
	{DIFV_SCOPE_LOCAL, DIFV_KIND_SCALAR},  {DIFV_SCOPE_GLOBAL, DIFV_KIND_ARRAY},
	{DIFV_SCOPE_THREAD, DIFV_KIND_ARRAY},
};

static void fuzz_declare(struct build_difo *d)
{
	for (uint32_t g = 0; g < 5; g++) {
		for (uint32_t n = 0; n < FUZZ_VARS; n++) {
			dtrace_difv_t v = {.dtdv_id = DIF_VAR_OTHER_UBASE + 16 * g + n,
					   .dtdv_kind = fuzz_groups[g].kind,
					   .dtdv_scope = fuzz_groups[g].scope};

			v.dtdv_type.dtdt_kind = n == 1 ? DIF_TYPE_STRING : DIF_TYPE_CTF;
			v.dtdv_type.dtdt_flags = n == 3 ? DIF_TF_BYUREF : n ? DIF_TF_BYREF : 0;
			v.dtdv_type.dtdt_size = n == 1 ? 0 : n == 0 ? 8 : 24;
			bytes_add(&d->vars, &v, sizeof(v));
		}
	}
}

static uint32_t fuzz_group(uint32_t op)
{
	switch (op) {
	case DIF_OP_LDTS:
	case DIF_OP_STTS:
		return 1;
	case DIF_OP_LDLS:
	case DIF_OP_STLS:
		return 2;
	case DIF_OP_LDGAA:
	case DIF_OP_STGAA:
		return 3;
	case DIF_OP_LDTAA:
	case DIF_OP_STTAA:
		return 4;
	default:
		return 0;
	}
}

static dif_instr_t fuzz_plausible(dif_instr_t in, uint32_t pc, uint32_t len)
{
	uint32_t op = DIF_INSTR_OP(in) % (DIF_OP_RLDX + 1), rd = DIF_INSTR_RD(in) % 8,
		 x = DIF_INSTR_VAR(in);

	rd = rd ? rd : 1;
	if (op >= DIF_OP_BA && op <= DIF_OP_BLEU)
		return DIF_INSTR_BRANCH(op, pc + 1 + x % (len - pc));
	switch (op) {
	case DIF_OP_SETX:
		return DIF_INSTR_WIDE(op, x % (sizeof(fuzz_ints) / 8), rd);
	case DIF_OP_SETS:
		return DIF_INSTR_WIDE(op, x % sizeof(fuzz_strs), rd);
	case DIF_OP_CALL:
		return DIF_INSTR_WIDE(op, x % (DIF_SUBR_MAX + 1), rd);
	case DIF_OP_LDGA:
		return DIF_INSTR_FMT(op, x % 3, DIF_INSTR_R2(in) % 8, rd);
	case DIF_OP_LDGS:
		if (x & 0x8000)
			return DIF_INSTR_WIDE(op, DIF_VAR_OTHER_MIN + x % 0x21, rd);
		return DIF_INSTR_WIDE(op, DIF_VAR_OTHER_UBASE + x % FUZZ_VARS, rd);
	case DIF_OP_STGS:
	case DIF_OP_LDTS:
	case DIF_OP_STTS:
	case DIF_OP_LDLS:
	case DIF_OP_STLS:
	case DIF_OP_LDGAA:
	case DIF_OP_LDTAA:
	case DIF_OP_STGAA:
	case DIF_OP_STTAA:
		return DIF_INSTR_WIDE(op, DIF_VAR_OTHER_UBASE + 16 * fuzz_group(op) + x % FUZZ_VARS,
				      rd);
	case DIF_OP_PUSHTR:
	case DIF_OP_PUSHTV:
		return DIF_INSTR_FMT(op, x >> 8 & 1, x % 8, DIF_INSTR_RD(in) % 8);
	case DIF_OP_CMP:
	case DIF_OP_SCMP:
		return DIF_INSTR_FMT(op, x >> 8 & 7, x & 7, 0);
	case DIF_OP_TST:
		return DIF_INSTR_FMT(op, x >> 8 & 7, 0, 0);
	case DIF_OP_RET:
		return DIF_INSTR_FMT(op, 0, 0, rd);
	case DIF_OP_NOP:
	case DIF_OP_POPTS:
	case DIF_OP_FLUSHTS:
		return DIF_INSTR_FMT(op, 0, 0, 0);
	default:
		if ((op >= DIF_OP_OR && op <= DIF_OP_UREM) || op == DIF_OP_SRA ||
		    op == DIF_OP_COPYS)
			return DIF_INSTR_FMT(op, x >> 8 & 7, x & 7, rd);
		return DIF_INSTR_FMT(op, x >> 8 & 7, 0, rd);
	}
}

static void fuzz_text(struct build_difo *d, const uint8_t *data, size_t size, bool plausible)
{
	uint32_t len = (uint32_t)(size / 4 < FUZZ_INSTRS ? size / 4 : FUZZ_INSTRS);

	d->text = calloc(len + 1, sizeof(d->text[0]));
	memcpy(d->text, data, len * 4);
	for (uint32_t i = 0; plausible && i < len; i++)
		d->text[i] = fuzz_plausible(d->text[i], i, len);
	d->text[len] = DIF_INSTR_FMT(DIF_OP_RET, 0, 0, 1);
	d->len = len + 1;
}

static void fuzz_rtype(struct build_difo *d, uint8_t how)
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

	d->rtype = types[how % 8];
}

/* Use the program as the only action, a key, a predicate, or the value of an aggregation. */
static void fuzz_use(struct build_dof *b, uint32_t difo, unsigned int how)
{
	dof_actdesc_t ad[2] = {
		{.dofa_difo = difo,
		 .dofa_kind = how == 3 ? DTRACEACT_TRACEMEM : DTRACEACT_DIFEXPR,
		 .dofa_arg = how == 3 ? 33 : 0},
		{.dofa_difo = difo, .dofa_kind = DTRACEAGG_QUANTIZE, .dofa_ntuple = 2},
	};
	uint32_t acts = build_section(b, DOF_SECT_ACTDESC, 8, sizeof(ad[0]), ad,
				      (how == 1 ? 2 : 1) * sizeof(ad[0]));
	dof_probedesc_t pd = {0};
	dof_ecbdesc_t ed = {.dofe_pred = how == 2 ? difo : DOF_SECIDX_NONE, .dofe_actions = acts};

	pd.dofp_strtab = build_section(b, DOF_SECT_STRTAB, 1, 0, "", 1);
	ed.dofe_probes = build_section(b, DOF_SECT_PROBEDESC, 4, 0, &pd, sizeof(pd));
	build_section(b, DOF_SECT_ECBDESC, 8, 0, &ed, sizeof(ed));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct build_dof b;
	struct build_difo d = {0};
	const void *dof;
	size_t n;

	if (size < 5)
		return 0;
	build_dof_init(&b);
	build_option(&b, DTRACEOPT_DESTRUCTIVE, 1);
	build_option(&b, DTRACEOPT_BUFSIZE, 4096);
	build_option(&b, DTRACEOPT_AGGSIZE, 8192);
	build_option(&b, DTRACEOPT_DYNVARSIZE, 4096);
	build_option(&b, DTRACEOPT_STRSIZE, data[0] & 0x80 ? 256 : 20);
	fuzz_text(&d, data + 1, size - 1, data[0] & 1);
	fuzz_rtype(&d, data[0] >> 1);
	bytes_add(&d.ints, fuzz_ints, sizeof(fuzz_ints));
	bytes_add(&d.strs, fuzz_strs, sizeof(fuzz_strs));
	fuzz_declare(&d);
	fuzz_use(&b, build_difo_section(&b, &d), data[0] >> 4 & 3);
	build_difo_free(&d);
	dof = build_finish(&b, &n);
	engine_session(dof, n);
	build_dof_free(&b);
	return 0;
}
