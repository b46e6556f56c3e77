// SPDX-License-Identifier: MIT
/* dif_dis.c - DIF for people to read: what dtrace -S prints. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../program.h"

/* How the operands of an instruction are written. */
enum form {
	F_NONE,
	F_LOG,
	F_NOT,
	F_CMP,
	F_TST,
	F_BRANCH,
	F_LOAD,
	F_STORE,
	F_RET,
	F_SETX,
	F_SETS,
	F_LDA,
	F_LDV,
	F_STV,
	F_CALL,
	F_PUSH,
	F_ALLOCS,
	F_COPYS
};

static const struct op {
	const char *name;
	enum form form;
} ops[] = {
	[DIF_OP_OR] = {"or", F_LOG},
	[DIF_OP_XOR] = {"xor", F_LOG},
	[DIF_OP_AND] = {"and", F_LOG},
	[DIF_OP_SLL] = {"sll", F_LOG},
	[DIF_OP_SRL] = {"srl", F_LOG},
	[DIF_OP_SUB] = {"sub", F_LOG},
	[DIF_OP_ADD] = {"add", F_LOG},
	[DIF_OP_MUL] = {"mul", F_LOG},
	[DIF_OP_SDIV] = {"sdiv", F_LOG},
	[DIF_OP_UDIV] = {"udiv", F_LOG},
	[DIF_OP_SREM] = {"srem", F_LOG},
	[DIF_OP_UREM] = {"urem", F_LOG},
	[DIF_OP_NOT] = {"not", F_NOT},
	[DIF_OP_MOV] = {"mov", F_NOT},
	[DIF_OP_CMP] = {"cmp", F_CMP},
	[DIF_OP_TST] = {"tst", F_TST},
	[DIF_OP_BA] = {"ba", F_BRANCH},
	[DIF_OP_BE] = {"be", F_BRANCH},
	[DIF_OP_BNE] = {"bne", F_BRANCH},
	[DIF_OP_BG] = {"bg", F_BRANCH},
	[DIF_OP_BGU] = {"bgu", F_BRANCH},
	[DIF_OP_BGE] = {"bge", F_BRANCH},
	[DIF_OP_BGEU] = {"bgeu", F_BRANCH},
	[DIF_OP_BL] = {"bl", F_BRANCH},
	[DIF_OP_BLU] = {"blu", F_BRANCH},
	[DIF_OP_BLE] = {"ble", F_BRANCH},
	[DIF_OP_BLEU] = {"bleu", F_BRANCH},
	[DIF_OP_LDSB] = {"ldsb", F_LOAD},
	[DIF_OP_LDSH] = {"ldsh", F_LOAD},
	[DIF_OP_LDSW] = {"ldsw", F_LOAD},
	[DIF_OP_LDUB] = {"ldub", F_LOAD},
	[DIF_OP_LDUH] = {"lduh", F_LOAD},
	[DIF_OP_LDUW] = {"lduw", F_LOAD},
	[DIF_OP_LDX] = {"ldx", F_LOAD},
	[DIF_OP_RET] = {"ret", F_RET},
	[DIF_OP_NOP] = {"nop", F_NONE},
	[DIF_OP_SETX] = {"setx", F_SETX},
	[DIF_OP_SETS] = {"sets", F_SETS},
	[DIF_OP_SCMP] = {"scmp", F_CMP},
	[DIF_OP_LDGA] = {"ldga", F_LDA},
	[DIF_OP_LDGS] = {"ldgs", F_LDV},
	[DIF_OP_STGS] = {"stgs", F_STV},
	[DIF_OP_LDTA] = {"ldta", F_LDA},
	[DIF_OP_LDTS] = {"ldts", F_LDV},
	[DIF_OP_STTS] = {"stts", F_STV},
	[DIF_OP_SRA] = {"sra", F_LOG},
	[DIF_OP_CALL] = {"call", F_CALL},
	[DIF_OP_PUSHTR] = {"pushtr", F_PUSH},
	[DIF_OP_PUSHTV] = {"pushtv", F_PUSH},
	[DIF_OP_POPTS] = {"popts", F_NONE},
	[DIF_OP_FLUSHTS] = {"flushts", F_NONE},
	[DIF_OP_LDGAA] = {"ldgaa", F_LDV},
	[DIF_OP_LDTAA] = {"ldtaa", F_LDV},
	[DIF_OP_STGAA] = {"stgaa", F_STV},
	[DIF_OP_STTAA] = {"sttaa", F_STV},
	[DIF_OP_LDLS] = {"ldls", F_LDV},
	[DIF_OP_STLS] = {"stls", F_STV},
	[DIF_OP_ALLOCS] = {"allocs", F_ALLOCS},
	[DIF_OP_COPYS] = {"copys", F_COPYS},
	[DIF_OP_STB] = {"stb", F_STORE},
	[DIF_OP_STH] = {"sth", F_STORE},
	[DIF_OP_STW] = {"stw", F_STORE},
	[DIF_OP_STX] = {"stx", F_STORE},
	[DIF_OP_ULDSB] = {"uldsb", F_LOAD},
	[DIF_OP_ULDSH] = {"uldsh", F_LOAD},
	[DIF_OP_ULDSW] = {"uldsw", F_LOAD},
	[DIF_OP_ULDUB] = {"uldub", F_LOAD},
	[DIF_OP_ULDUH] = {"ulduh", F_LOAD},
	[DIF_OP_ULDUW] = {"ulduw", F_LOAD},
	[DIF_OP_ULDX] = {"uldx", F_LOAD},
	[DIF_OP_RLDSB] = {"rldsb", F_LOAD},
	[DIF_OP_RLDSH] = {"rldsh", F_LOAD},
	[DIF_OP_RLDSW] = {"rldsw", F_LOAD},
	[DIF_OP_RLDUB] = {"rldub", F_LOAD},
	[DIF_OP_RLDUH] = {"rlduh", F_LOAD},
	[DIF_OP_RLDUW] = {"rlduw", F_LOAD},
	[DIF_OP_RLDX] = {"rldx", F_LOAD},
};

static const char *const subrs[] = {
	[DIF_SUBR_RAND] = "rand",
	[DIF_SUBR_MUTEX_OWNED] = "mutex_owned",
	[DIF_SUBR_MUTEX_OWNER] = "mutex_owner",
	[DIF_SUBR_MUTEX_TYPE_ADAPTIVE] = "mutex_type_adaptive",
	[DIF_SUBR_MUTEX_TYPE_SPIN] = "mutex_type_spin",
	[DIF_SUBR_RW_READ_HELD] = "rw_read_held",
	[DIF_SUBR_RW_WRITE_HELD] = "rw_write_held",
	[DIF_SUBR_RW_ISWRITER] = "rw_iswriter",
	[DIF_SUBR_COPYIN] = "copyin",
	[DIF_SUBR_COPYINSTR] = "copyinstr",
	[DIF_SUBR_SPECULATION] = "speculation",
	[DIF_SUBR_PROGENYOF] = "progenyof",
	[DIF_SUBR_STRLEN] = "strlen",
	[DIF_SUBR_COPYOUT] = "copyout",
	[DIF_SUBR_COPYOUTSTR] = "copyoutstr",
	[DIF_SUBR_ALLOCA] = "alloca",
	[DIF_SUBR_BCOPY] = "bcopy",
	[DIF_SUBR_COPYINTO] = "copyinto",
	[DIF_SUBR_MSGDSIZE] = "msgdsize",
	[DIF_SUBR_MSGSIZE] = "msgsize",
	[DIF_SUBR_GETMAJOR] = "getmajor",
	[DIF_SUBR_GETMINOR] = "getminor",
	[DIF_SUBR_DDI_PATHNAME] = "ddi_pathname",
	[DIF_SUBR_STRJOIN] = "strjoin",
	[DIF_SUBR_LLTOSTR] = "lltostr",
	[DIF_SUBR_BASENAME] = "basename",
	[DIF_SUBR_DIRNAME] = "dirname",
	[DIF_SUBR_CLEANPATH] = "cleanpath",
	[DIF_SUBR_STRCHR] = "strchr",
	[DIF_SUBR_STRRCHR] = "strrchr",
	[DIF_SUBR_STRSTR] = "strstr",
	[DIF_SUBR_STRTOK] = "strtok",
	[DIF_SUBR_SUBSTR] = "substr",
	[DIF_SUBR_INDEX] = "index",
	[DIF_SUBR_RINDEX] = "rindex",
	[DIF_SUBR_HTONS] = "htons",
	[DIF_SUBR_HTONL] = "htonl",
	[DIF_SUBR_HTONLL] = "htonll",
	[DIF_SUBR_NTOHS] = "ntohs",
	[DIF_SUBR_NTOHL] = "ntohl",
	[DIF_SUBR_NTOHLL] = "ntohll",
	[DIF_SUBR_INET_NTOP] = "inet_ntop",
	[DIF_SUBR_INET_NTOA] = "inet_ntoa",
	[DIF_SUBR_INET_NTOA6] = "inet_ntoa6",
	[DIF_SUBR_TOUPPER] = "toupper",
	[DIF_SUBR_TOLOWER] = "tolower",
	[DIF_SUBR_GETF] = "getf",
	[DIF_SUBR_JSON] = "json",
	[DIF_SUBR_STRTOLL] = "strtoll",
	[DIF_SUBR_D_PATH] = "d_path",
	[DIF_SUBR_LINK_NTOP] = "link_ntop",
	[DIF_SUBR_MEMREF] = "memref",
	[DIF_SUBR_MEMSTR] = "memstr",
};

#define MNEMONIC "%-8s"
#define COLUMN	 40 /* where comments begin */

static void comment(FILE *fp, int printed, const char *text)
{
	fprintf(fp, "%*s! %s", printed < COLUMN ? COLUMN - printed : 1, "", text);
}

/* Print the name of a variable in the DIFO's table, or its number. */
static void comment_var(FILE *fp, int printed, const dt_difo_t *d, uint32_t id, int scope)
{
	char text[280];

	snprintf(text, sizeof(text), "DT_VAR(%" PRIu32 ")", id);
	for (uint32_t i = 0; i < d->varlen; i++) {
		const dtrace_difv_t *v = &d->vartab[i];

		if (v->dtdv_id == id && v->dtdv_scope == scope)
			snprintf(text, sizeof(text), "DT_VAR(%" PRIu32 ") = \"%s\"", id,
				 d->strtab + v->dtdv_name);
	}
	comment(fp, printed, text);
}

static int var_scope(unsigned int op)
{
	switch (op) {
	case DIF_OP_LDTS:
	case DIF_OP_STTS:
	case DIF_OP_LDTAA:
	case DIF_OP_STTAA:
		return DIFV_SCOPE_THREAD;
	case DIF_OP_LDLS:
	case DIF_OP_STLS:
		return DIFV_SCOPE_LOCAL;
	default:
		return DIFV_SCOPE_GLOBAL;
	}
}

static void dis_var(FILE *fp, const dt_difo_t *d, dif_instr_t in, const struct op *op)
{
	uint32_t id = DIF_INSTR_VAR(in);
	int n;

	if (op->form == F_LDV)
		n = fprintf(fp, MNEMONIC "DT_VAR(%" PRIu32 "), %%r%u", op->name, id,
			    DIF_INSTR_RD(in));
	else
		n = fprintf(fp, MNEMONIC "%%r%u, DT_VAR(%" PRIu32 ")", op->name, DIF_INSTR_RS(in),
			    id);
	comment_var(fp, n, d, id, var_scope(DIF_INSTR_OP(in)));
}

static void dis_lda(FILE *fp, const dt_difo_t *d, dif_instr_t in, const struct op *op)
{
	uint32_t id = DIF_INSTR_R1(in);
	int n = fprintf(fp, MNEMONIC "DT_VAR(%" PRIu32 "), %%r%u, %%r%u", op->name, id,
			DIF_INSTR_R2(in), DIF_INSTR_RD(in));

	comment_var(fp, n, d, id, var_scope(DIF_INSTR_OP(in)));
}

static void dis_setx(FILE *fp, const dt_difo_t *d, dif_instr_t in, const struct op *op)
{
	uint32_t i = DIF_INSTR_INTEGER(in);
	int n = fprintf(fp, MNEMONIC "DT_INTEGER[%" PRIu32 "], %%r%u", op->name, i,
			DIF_INSTR_RD(in));
	char text[32];

	if (i < d->intlen) {
		snprintf(text, sizeof(text), "0x%" PRIx64, d->inttab[i]);
		comment(fp, n, text);
	}
}

/* Print a string in quotes, with escapes for characters that would break the line. */
static void print_string(FILE *fp, const char *s)
{
	fputc('"', fp);
	for (; *s != '\0'; s++) {
		if (*s == '"' || *s == '\\')
			fprintf(fp, "\\%c", *s);
		else if (*s >= ' ' && *s <= '~')
			fputc(*s, fp);
		else
			fprintf(fp, "\\%03o", (unsigned char)*s);
	}
	fputc('"', fp);
}

static void dis_sets(FILE *fp, const dt_difo_t *d, dif_instr_t in, const struct op *op)
{
	uint32_t i = DIF_INSTR_STRING(in);
	int n = fprintf(fp, MNEMONIC "DT_STRING[%" PRIu32 "], %%r%u", op->name, i,
			DIF_INSTR_RD(in));

	if (i < d->strlen) {
		comment(fp, n, "");
		print_string(fp, d->strtab + i);
	}
}

static void dis_call(FILE *fp, dif_instr_t in, const struct op *op)
{
	uint32_t subr = DIF_INSTR_SUBR(in);
	int n = fprintf(fp, MNEMONIC "DIF_SUBR(%" PRIu32 "), %%r%u", op->name, subr,
			DIF_INSTR_RD(in));

	comment(fp, n, subr < sizeof(subrs) / sizeof(subrs[0]) ? subrs[subr] : "unknown");
}

static void dis_push(FILE *fp, dif_instr_t in, const struct op *op)
{
	unsigned int type = DIF_INSTR_TYPE(in), size = DIF_INSTR_R2(in);
	int n = fprintf(fp, MNEMONIC "DT_TYPE(%u), %%r%u", op->name, type, DIF_INSTR_RS(in));
	char text[64];

	snprintf(text, sizeof(text), "DT_TYPE(%u) = %s", type,
		 type == DIF_TYPE_STRING ? "string" : "D type");
	if (size != DIF_VAL_REG_R0)
		n += fprintf(fp, ", %%r%u", size);
	comment(fp, n, text);
}

static void dis_instr(FILE *fp, const dt_difo_t *d, dif_instr_t in)
{
	unsigned int code = DIF_INSTR_OP(in), r1 = DIF_INSTR_R1(in), r2 = DIF_INSTR_R2(in),
		     rd = DIF_INSTR_RD(in);
	const struct op *op = code < sizeof(ops) / sizeof(ops[0]) ? &ops[code] : NULL;

	if (!op || !op->name) {
		fprintf(fp, "unknown opcode %u", code);
		return;
	}
	switch (op->form) {
	case F_NONE:
		fputs(op->name, fp);
		break;
	case F_LOG:
		fprintf(fp, MNEMONIC "%%r%u, %%r%u, %%r%u", op->name, r1, r2, rd);
		break;
	case F_NOT:
		fprintf(fp, MNEMONIC "%%r%u, %%r%u", op->name, r1, rd);
		break;
	case F_CMP:
		fprintf(fp, MNEMONIC "%%r%u, %%r%u", op->name, r1, r2);
		break;
	case F_TST:
		fprintf(fp, MNEMONIC "%%r%u", op->name, r1);
		break;
	case F_BRANCH:
		fprintf(fp, MNEMONIC "%" PRIu32, op->name, DIF_INSTR_LABEL(in));
		break;
	case F_LOAD:
		fprintf(fp, MNEMONIC "[%%r%u], %%r%u", op->name, r1, rd);
		break;
	case F_STORE:
		fprintf(fp, MNEMONIC "%%r%u, [%%r%u]", op->name, r1, rd);
		break;
	case F_RET:
		fprintf(fp, MNEMONIC "%%r%u", op->name, rd);
		break;
	case F_ALLOCS:
		fprintf(fp, MNEMONIC "%%r%u, %%r%u", op->name, r1, rd);
		break;
	case F_COPYS:
		fprintf(fp, MNEMONIC "%%r%u, %%r%u, %%r%u", op->name, r1, r2, rd);
		break;
	case F_SETX:
		dis_setx(fp, d, in, op);
		break;
	case F_SETS:
		dis_sets(fp, d, in, op);
		break;
	case F_LDA:
		dis_lda(fp, d, in, op);
		break;
	case F_LDV:
	case F_STV:
		dis_var(fp, d, in, op);
		break;
	case F_CALL:
		dis_call(fp, in, op);
		break;
	case F_PUSH:
		dis_push(fp, in, op);
		break;
	}
}

static const char *type_text(const dtrace_diftype_t *t, char *buf, size_t len)
{
	int n = snprintf(buf, len, "%s", t->dtdt_kind == DIF_TYPE_STRING ? "string" : "D type");

	if (t->dtdt_flags & DIF_TF_BYREF)
		n += snprintf(buf + n, len - n, " by ref");
	if (t->dtdt_flags & DIF_TF_BYUREF)
		n += snprintf(buf + n, len - n, " by user ref");
	snprintf(buf + n, len - n, " (size %" PRIu32 ")", t->dtdt_size);
	return buf;
}

static void dis_var_row(FILE *fp, const dt_difo_t *d, const dtrace_difv_t *v)
{
	static const char *const scopes[] = {"glb", "tls", "loc"};
	char type[64], flags[8] = "";

	if (v->dtdv_flags & DIFV_F_REF)
		strcat(flags, "r");
	if (v->dtdv_flags & DIFV_F_MOD)
		strcat(flags, flags[0] != '\0' ? "/w" : "w");
	fprintf(fp, "%-16s %-4" PRIx32 " %-3s %-3s %-4s %s\n", d->strtab + v->dtdv_name, v->dtdv_id,
		v->dtdv_kind == DIFV_KIND_ARRAY ? "arr" : "scl",
		v->dtdv_scope <= DIFV_SCOPE_LOCAL ? scopes[v->dtdv_scope] : "?", flags,
		type_text(&v->dtdv_type, type, sizeof(type)));
}

void dt_dis(const dt_difo_t *d, FILE *fp)
{
	char type[64];

	fprintf(fp, "\nDIFO returns %s\n", type_text(&d->rtype, type, sizeof(type)));
	fprintf(fp, "%-3s %-8s    %s\n", "OFF", "OPCODE", "INSTRUCTION");
	for (uint32_t i = 0; i < d->len; i++) {
		fprintf(fp, "%02" PRIx32 ": %08" PRIx32 "    ", i, d->text[i]);
		dis_instr(fp, d, d->text[i]);
		fputc('\n', fp);
	}
	if (d->varlen > 0)
		fprintf(fp, "\n%-16s %-4s %-3s %-3s %-4s %s\n", "NAME", "ID", "KND", "SCP", "FLAG",
			"TYPE");
	for (uint32_t i = 0; i < d->varlen; i++)
		dis_var_row(fp, d, &d->vartab[i]);
}
