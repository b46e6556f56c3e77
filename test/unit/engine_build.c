/* SPDX-License-Identifier: MIT */
/* engine_build.c - DOF made by hand for tests of the engine. */
#include "engine_build.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#define BUILD_INSTRS	 256 /* instructions that fit; it grows by doubling */
#define BUILD_MAX_LABELS 64
#define BUILD_MAX_VARS	 256

/* ---- bytes ---- */

void bytes_add(struct bytes *b, const void *p, size_t n)
{
	if (!n)
		return;
	if (b->n + n > b->capacity) {
		b->capacity = (b->n + n) * 2 + 64;
		b->p = realloc(b->p, b->capacity);
		if (!b->p)
			abort();
	}
	if (p)
		memcpy(b->p + b->n, p, n);
	else
		memset(b->p + b->n, 0, n);
	b->n += n;
}

void bytes_align(struct bytes *b, size_t align)
{
	if (align > 1 && b->n % align)
		bytes_add(b, NULL, align - b->n % align);
}

void bytes_free(struct bytes *b)
{
	free(b->p);
	memset(b, 0, sizeof(*b));
}

/* ---- assembler ---- */

struct build_var {
	char name[32];
	dtrace_difv_t v;
};

struct build_label {
	char name[32];
	uint32_t pc;
};

struct assembler {
	const struct build_name *names;
	unsigned int nnames;
	struct build_difo *difo;
	struct build_label labels[BUILD_MAX_LABELS], uses[BUILD_MAX_LABELS];
	unsigned int nlabels, nuses;
	const char **err;
};

/* Variables keep their numbers from one DIFO to the next, so that several can share them. */
static struct build_var build_vars[BUILD_MAX_VARS];
static unsigned int build_nvars;

static const struct {
	const char *name;
	uint8_t op;
	char form; /* r: r1,r2,rd  m: r1,rd  c: r1,r2  t: r1  b: label  d: rd  n: none */
} build_ops[] = {
	{"or", 1, 'r'},	     {"xor", 2, 'r'},	  {"and", 3, 'r'},	{"sll", 4, 'r'},
	{"srl", 5, 'r'},     {"sub", 6, 'r'},	  {"add", 7, 'r'},	{"mul", 8, 'r'},
	{"sdiv", 9, 'r'},    {"udiv", 10, 'r'},	  {"srem", 11, 'r'},	{"urem", 12, 'r'},
	{"not", 13, 'm'},    {"mov", 14, 'm'},	  {"cmp", 15, 'c'},	{"tst", 16, 't'},
	{"ba", 17, 'b'},     {"be", 18, 'b'},	  {"bne", 19, 'b'},	{"bg", 20, 'b'},
	{"bgu", 21, 'b'},    {"bge", 22, 'b'},	  {"bgeu", 23, 'b'},	{"bl", 24, 'b'},
	{"blu", 25, 'b'},    {"ble", 26, 'b'},	  {"bleu", 27, 'b'},	{"ldsb", 28, 'm'},
	{"ldsh", 29, 'm'},   {"ldsw", 30, 'm'},	  {"ldub", 31, 'm'},	{"lduh", 32, 'm'},
	{"lduw", 33, 'm'},   {"ldx", 34, 'm'},	  {"ret", 35, 'd'},	{"nop", 36, 'n'},
	{"setx", 37, 'i'},   {"sets", 38, 's'},	  {"scmp", 39, 'c'},	{"ldga", 40, 'a'},
	{"ldgs", 41, 'v'},   {"stgs", 42, 'v'},	  {"ldta", 43, 'a'},	{"ldts", 44, 'v'},
	{"stts", 45, 'v'},   {"sra", 46, 'r'},	  {"call", 47, 'f'},	{"pushtr", 48, 'p'},
	{"pushtv", 49, 'p'}, {"popts", 50, 'n'},  {"flushts", 51, 'n'}, {"ldgaa", 52, 'v'},
	{"ldtaa", 53, 'v'},  {"stgaa", 54, 'v'},  {"sttaa", 55, 'v'},	{"ldls", 56, 'v'},
	{"stls", 57, 'v'},   {"allocs", 58, 'm'}, {"copys", 59, 'r'},	{"stb", 60, 'm'},
	{"sth", 61, 'm'},    {"stw", 62, 'm'},	  {"stx", 63, 'm'},	{"uldsb", 64, 'm'},
	{"uldsh", 65, 'm'},  {"uldsw", 66, 'm'},  {"uldub", 67, 'm'},	{"ulduh", 68, 'm'},
	{"ulduw", 69, 'm'},  {"uldx", 70, 'm'},	  {"rldsb", 71, 'm'},	{"rldsh", 72, 'm'},
	{"rldsw", 73, 'm'},  {"rldub", 74, 'm'},  {"rlduh", 75, 'm'},	{"rlduw", 76, 'm'},
	{"rldx", 77, 'm'},
};

static const char *const build_subrs[] = {
	"rand",
	"mutex_owned",
	"mutex_owner",
	"mutex_type_adaptive",
	"mutex_type_spin",
	"rw_read_held",
	"rw_write_held",
	"rw_iswriter",
	"copyin",
	"copyinstr",
	"speculation",
	"progenyof",
	"strlen",
	"copyout",
	"copyoutstr",
	"alloca",
	"bcopy",
	"copyinto",
	"msgdsize",
	"msgsize",
	"getmajor",
	"getminor",
	"ddi_pathname",
	"strjoin",
	"lltostr",
	"basename",
	"dirname",
	"cleanpath",
	"strchr",
	"strrchr",
	"strstr",
	"strtok",
	"substr",
	"index",
	"rindex",
	"htons",
	"htonl",
	"htonll",
	"ntohs",
	"ntohl",
	"ntohll",
	"inet_ntop",
	"inet_ntoa",
	"inet_ntoa6",
	"toupper",
	"tolower",
	"getf",
	"json",
	"strtoll",
	"d_path",
	"link_ntop",
	"memref",
	"memstr",
};

static const struct build_name build_builtins[] = {
	{"curthread", DIF_VAR_CURTHREAD},
	{"timestamp", DIF_VAR_TIMESTAMP},
	{"vtimestamp", DIF_VAR_VTIMESTAMP},
	{"ipl", DIF_VAR_IPL},
	{"epid", DIF_VAR_EPID},
	{"id", DIF_VAR_ID},
	{"arg0", DIF_VAR_ARG0},
	{"arg1", DIF_VAR_ARG1},
	{"arg2", DIF_VAR_ARG2},
	{"arg3", DIF_VAR_ARG3},
	{"arg4", DIF_VAR_ARG4},
	{"arg5", DIF_VAR_ARG5},
	{"arg6", DIF_VAR_ARG6},
	{"arg7", DIF_VAR_ARG7},
	{"arg8", DIF_VAR_ARG8},
	{"arg9", DIF_VAR_ARG9},
	{"stackdepth", DIF_VAR_STACKDEPTH},
	{"caller", DIF_VAR_CALLER},
	{"probeprov", DIF_VAR_PROBEPROV},
	{"probemod", DIF_VAR_PROBEMOD},
	{"probefunc", DIF_VAR_PROBEFUNC},
	{"probename", DIF_VAR_PROBENAME},
	{"pid", DIF_VAR_PID},
	{"tid", DIF_VAR_TID},
	{"execname", DIF_VAR_EXECNAME},
	{"zonename", DIF_VAR_ZONENAME},
	{"execargs", DIF_VAR_EXECARGS},
	{"jailname", DIF_VAR_JAILNAME},
	{"walltimestamp", DIF_VAR_WALLTIMESTAMP},
	{"ustackdepth", DIF_VAR_USTACKDEPTH},
	{"ucaller", DIF_VAR_UCALLER},
	{"ppid", DIF_VAR_PPID},
	{"uid", DIF_VAR_UID},
	{"gid", DIF_VAR_GID},
	{"errno", DIF_VAR_ERRNO},
	{"cpu", DIF_VAR_CPU},
	{"args", DIF_VAR_ARGS},
	{"regs", DIF_VAR_REGS},
	{"uregs", DIF_VAR_UREGS},
	{"string", DIF_TYPE_STRING},
	{"ctf", DIF_TYPE_CTF},
};

static int asm_fail(struct assembler *a, const char *what)
{
	static char text[160];

	snprintf(text, sizeof(text), "%.159s", what);
	*a->err = text;
	return -1;
}

/* The next word of a line, without commas and brackets; "" at the end. */
static const char *asm_word(const char **at, char *out, size_t size)
{
	size_t n = 0;

	while (**at == ' ' || **at == '\t' || **at == ',')
		(*at)++;
	while (**at && !strchr(" \t,", **at) && n + 1 < size)
		out[n++] = *(*at)++;
	out[n] = '\0';
	return out;
}

static uint32_t asm_reg(const char **at)
{
	char w[32];

	asm_word(at, w, sizeof(w));
	return w[0] == '%' && w[1] == 'r' ? (uint32_t)strtoul(w + 2, NULL, 10) : 0xff;
}

static int asm_type(struct assembler *a, const char *w, dtrace_diftype_t *t)
{
	unsigned long n = strchr(w, '(') ? strtoul(strchr(w, '(') + 1, NULL, 0) : 0;

	memset(t, 0, sizeof(*t));
	if (!strncmp(w, "uref", 4)) {
		t->dtdt_kind = DIF_TYPE_STRING;
		t->dtdt_flags = DIF_TF_BYUREF;
	} else if (!strncmp(w, "string", 6) || !strncmp(w, "struct", 6)) {
		t->dtdt_kind = w[3] == 'i' ? DIF_TYPE_STRING : DIF_TYPE_CTF;
		t->dtdt_flags = DIF_TF_BYREF;
	} else if (!strncmp(w, "int", 3)) {
		n = n ? n : 8;
	} else if (strcmp(w, "void") != 0) {
		return asm_fail(a, w);
	}
	t->dtdt_size = (uint32_t)n;
	return 0;
}

static int asm_var(struct assembler *a, const char *at)
{
	char scope[32], name[32], type[32];
	struct build_var *var = NULL;
	dtrace_difv_t v = {0};

	asm_word(&at, scope, sizeof(scope));
	asm_word(&at, name, sizeof(name));
	asm_word(&at, type, sizeof(type));
	v.dtdv_scope = scope[0] == 'g'	 ? DIFV_SCOPE_GLOBAL
		       : scope[0] == 't' ? DIFV_SCOPE_THREAD
					 : DIFV_SCOPE_LOCAL;
	v.dtdv_kind = strchr(scope, '[') ? DIFV_KIND_ARRAY : DIFV_KIND_SCALAR;
	v.dtdv_flags = DIFV_F_REF | DIFV_F_MOD;
	if (asm_type(a, type, &v.dtdv_type) != 0)
		return -1;
	for (unsigned int i = 0; i < build_nvars; i++)
		if (!strcmp(build_vars[i].name, name))
			var = &build_vars[i];
	if (!var) {
		if (build_nvars == BUILD_MAX_VARS)
			return asm_fail(a, "too many variables");
		var = &build_vars[build_nvars++];
		snprintf(var->name, sizeof(var->name), "%.31s", name);
		v.dtdv_id = DIF_VAR_OTHER_UBASE + (uint32_t)(var - build_vars);
		var->v = v;
	}
	v.dtdv_id = var->v.dtdv_id;
	v.dtdv_name = (uint32_t)a->difo->strs.n;
	bytes_add(&a->difo->strs, name, strlen(name) + 1);
	bytes_add(&a->difo->vars, &v, sizeof(v));
	return 0;
}

uint32_t build_var_id(const char *name)
{
	for (unsigned int i = 0; i < build_nvars; i++)
		if (!strcmp(build_vars[i].name, name))
			return build_vars[i].v.dtdv_id;
	return 0;
}

static uint32_t asm_lookup(const char *w)
{
	for (size_t i = 0; i < sizeof(build_builtins) / sizeof(build_builtins[0]); i++)
		if (!strcmp(build_builtins[i].name, w))
			return (uint32_t)build_builtins[i].value;
	return build_var_id(w) ? build_var_id(w) : (uint32_t)strtoul(w, NULL, 0);
}

static uint32_t asm_subr(const char *w)
{
	for (uint32_t i = 0; i < sizeof(build_subrs) / sizeof(build_subrs[0]); i++)
		if (!strcmp(build_subrs[i], w))
			return i;
	return (uint32_t)strtoul(w, NULL, 0);
}

static uint32_t asm_integer(struct assembler *a, const char *w)
{
	uint64_t v = w[0] == '-' ? (uint64_t)strtoll(w, NULL, 0) : strtoull(w, NULL, 0);

	for (unsigned int i = 0; i < a->nnames; i++)
		if (!strcmp(a->names[i].name, w))
			v = a->names[i].value;
	bytes_add(&a->difo->ints, &v, sizeof(v));
	return (uint32_t)(a->difo->ints.n / sizeof(v) - 1);
}

/*
 * Read a string in quotes with
 * , \t, \" and \\.
 */
static uint32_t asm_string(struct assembler *a, const char **at)
{
	uint32_t index = (uint32_t)a->difo->strs.n;

	while (**at && **at != '"')
		(*at)++;
	for (*at += **at == '"'; **at && **at != '"'; (*at)++) {
		char c = **at;

		if (c == '\\' && (*at)[1]) {
			c = *++*at;
			c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
		}
		bytes_add(&a->difo->strs, &c, 1);
	}
	*at += **at == '"';
	bytes_add(&a->difo->strs, "", 1);
	return index;
}

static uint32_t asm_label_use(struct assembler *a, const char *w)
{
	struct build_label *use;

	if (isdigit((unsigned char)w[0]) || a->nuses == BUILD_MAX_LABELS)
		return (uint32_t)strtoul(w, NULL, 0);
	use = &a->uses[a->nuses++];
	snprintf(use->name, sizeof(use->name), "%.31s", w);
	use->pc = a->difo->len;
	return 0;
}

static int asm_operands(struct assembler *a, uint8_t op, char form, const char *at, dif_instr_t *in)
{
	uint32_t x, y, z;
	char w[64];

	switch (form) {
	case 'r':
		x = asm_reg(&at), y = asm_reg(&at), z = asm_reg(&at);
		*in = DIF_INSTR_FMT(op, x, y, z);
		return 0;
	case 'm':
		x = asm_reg(&at), z = asm_reg(&at);
		*in = DIF_INSTR_FMT(op, x, 0, z);
		return 0;
	case 'c':
		x = asm_reg(&at), y = asm_reg(&at);
		*in = DIF_INSTR_FMT(op, x, y, 0);
		return 0;
	case 't':
		*in = DIF_INSTR_FMT(op, asm_reg(&at), 0, 0);
		return 0;
	case 'd':
		*in = DIF_INSTR_FMT(op, 0, 0, asm_reg(&at));
		return 0;
	case 'n':
		*in = DIF_INSTR_FMT(op, 0, 0, 0);
		return 0;
	case 'b':
		*in = DIF_INSTR_BRANCH(op, asm_label_use(a, asm_word(&at, w, sizeof(w))));
		return 0;
	case 'i':
		x = asm_integer(a, asm_word(&at, w, sizeof(w)));
		*in = DIF_INSTR_WIDE(op, x, asm_reg(&at));
		return 0;
	case 's':
		x = asm_string(a, &at);
		*in = DIF_INSTR_WIDE(op, x, asm_reg(&at));
		return 0;
	case 'f':
		x = asm_subr(asm_word(&at, w, sizeof(w)));
		*in = DIF_INSTR_WIDE(op, x, asm_reg(&at));
		return 0;
	case 'v':
		x = asm_lookup(asm_word(&at, w, sizeof(w)));
		*in = DIF_INSTR_WIDE(op, x, asm_reg(&at));
		return 0;
	default: /* a: array, index, rd; p: type, size, value */
		x = asm_lookup(asm_word(&at, w, sizeof(w)));
		y = asm_reg(&at), z = asm_reg(&at);
		*in = DIF_INSTR_FMT(op, x, y, z);
		return 0;
	}
}

static int asm_emit(struct assembler *a, dif_instr_t in)
{
	uint32_t len = a->difo->len;

	if (len >= BUILD_INSTRS && !(len & (len - 1)))
		a->difo->text = realloc(a->difo->text, 2 * len * sizeof(in));
	a->difo->text[a->difo->len++] = in;
	return 0;
}

static int asm_line(struct assembler *a, const char *line)
{
	const char *at = line;
	dif_instr_t in = 0;
	char w[64];

	asm_word(&at, w, sizeof(w));
	if (!w[0] || w[0] == '#')
		return 0;
	if (w[strlen(w) - 1] == ':') {
		w[strlen(w) - 1] = '\0';
		if (a->nlabels == BUILD_MAX_LABELS)
			return asm_fail(a, "too many labels");
		snprintf(a->labels[a->nlabels].name, 32, "%.31s", w);
		a->labels[a->nlabels++].pc = a->difo->len;
		return 0;
	}
	if (!strcmp(w, "var"))
		return asm_var(a, at);
	if (!strcmp(w, "type"))
		return asm_type(a, asm_word(&at, w, sizeof(w)), &a->difo->rtype);
	if (!strcmp(w, "word"))
		return asm_emit(a, (dif_instr_t)strtoul(asm_word(&at, w, sizeof(w)), NULL, 0));
	for (size_t i = 0; i < sizeof(build_ops) / sizeof(build_ops[0]); i++)
		if (!strcmp(build_ops[i].name, w))
			return asm_operands(a, build_ops[i].op, build_ops[i].form, at, &in) ||
			       asm_emit(a, in);
	return asm_fail(a, line);
}

static int asm_resolve(struct assembler *a)
{
	for (unsigned int u = 0; u < a->nuses; u++) {
		unsigned int l = 0;

		while (l < a->nlabels && strcmp(a->labels[l].name, a->uses[u].name) != 0)
			l++;
		if (l == a->nlabels)
			return asm_fail(a, a->uses[u].name);
		a->difo->text[a->uses[u].pc] |= a->labels[l].pc;
	}
	return 0;
}

/* Return the length up to the end of the line, or to a semicolon outside of strings. */
static size_t asm_line_length(const char *text)
{
	bool quoted = false;
	size_t n = 0;

	for (; text[n] && text[n] != '\n' && (quoted || text[n] != ';'); n++) {
		if (text[n] == '\\' && text[n + 1])
			n++;
		else if (text[n] == '"')
			quoted = !quoted;
	}
	return n;
}

int build_assemble(const char *text, const struct build_name *names, unsigned int nnames,
		   struct build_difo *difo, const char **err)
{
	struct assembler a = {.names = names, .nnames = nnames, .difo = difo, .err = err};
	char line[512];
	size_t n;
	int rc = 0;

	memset(difo, 0, sizeof(*difo));
	difo->rtype.dtdt_size = 8;
	difo->text = calloc(BUILD_INSTRS, sizeof(dif_instr_t));
	bytes_add(&difo->strs, "", 1);
	for (; !rc && *text; text += n + (text[n] != '\0')) {
		n = asm_line_length(text);
		snprintf(line, sizeof(line), "%.*s", (int)n, text);
		rc = asm_line(&a, line);
	}
	if (!rc)
		rc = asm_resolve(&a);
	if (rc)
		build_difo_free(difo);
	return rc;
}

void build_difo_free(struct build_difo *difo)
{
	free(difo->text);
	bytes_free(&difo->ints);
	bytes_free(&difo->strs);
	bytes_free(&difo->vars);
	memset(difo, 0, sizeof(*difo));
}

/* ---- DOF ---- */

void build_dof_init(struct build_dof *b)
{
	memset(b, 0, sizeof(*b));
}

uint32_t build_section(struct build_dof *b, uint32_t type, uint32_t align, uint32_t entsize,
		       const void *p, size_t n)
{
	dof_sec_t *sec = &b->secs[b->nsecs];

	if (b->nsecs == sizeof(b->secs) / sizeof(b->secs[0]))
		abort();
	sec->dofs_type = type;
	sec->dofs_align = align;
	sec->dofs_flags = type < 0x8000 ? DOF_SECF_LOAD : 0;
	sec->dofs_entsize = entsize;
	bytes_add(&b->data[b->nsecs], p, n);
	return b->nsecs++;
}

uint32_t build_difo_section(struct build_dof *b, const struct build_difo *d)
{
	struct {
		dtrace_diftype_t rtype;
		dof_secidx_t links[4];
	} hdr = {.rtype = d->rtype};

	hdr.links[0] = build_section(b, DOF_SECT_DIF, 4, 4, d->text, d->len * sizeof(d->text[0]));
	hdr.links[1] = build_section(b, DOF_SECT_INTTAB, 8, 8, d->ints.p, d->ints.n);
	hdr.links[2] = build_section(b, DOF_SECT_STRTAB, 1, 0, d->strs.p, d->strs.n);
	hdr.links[3] =
		build_section(b, DOF_SECT_VARTAB, 4, sizeof(dtrace_difv_t), d->vars.p, d->vars.n);
	return build_section(b, DOF_SECT_DIFOHDR, 4, 0, &hdr, sizeof(hdr));
}

uint32_t build_difo_text(struct build_dof *b, const char *text)
{
	struct build_difo d;
	const char *err;
	uint32_t index;

	if (build_assemble(text, b->names, b->nnames, &d, &err) != 0) {
		fprintf(stderr, "cannot assemble: %s\n", err);
		abort();
	}
	index = build_difo_section(b, &d);
	build_difo_free(&d);
	return index;
}

uint32_t build_actions(struct build_dof *b, const struct build_action *acts, unsigned int n)
{
	struct bytes table = {0};
	uint32_t index;

	for (unsigned int i = 0; i < n; i++) {
		dof_actdesc_t ad = {.dofa_difo = DOF_SECIDX_NONE,
				    .dofa_strtab = DOF_SECIDX_NONE,
				    .dofa_kind = acts[i].kind,
				    .dofa_ntuple = acts[i].ntuple,
				    .dofa_arg = acts[i].arg,
				    .dofa_uarg = acts[i].uarg};

		if (acts[i].difo)
			ad.dofa_difo = build_difo_text(b, acts[i].difo);
		bytes_add(&table, &ad, sizeof(ad));
	}
	index = build_section(b, DOF_SECT_ACTDESC, 8, sizeof(dof_actdesc_t), table.p, table.n);
	bytes_free(&table);
	return index;
}

void build_clause(struct build_dof *b, const char *desc, const char *pred, uint32_t actions,
		  uint64_t uarg)
{
	dof_ecbdesc_t ed = {
		.dofe_pred = DOF_SECIDX_NONE, .dofe_actions = actions, .dofe_uarg = uarg};
	dof_probedesc_t pd = {0};
	dof_stridx_t *fields[] = {&pd.dofp_provider, &pd.dofp_mod, &pd.dofp_func, &pd.dofp_name};
	struct bytes strs = {0};

	bytes_add(&strs, "", 1);
	for (int i = 0; i < 4; i++) {
		size_t n = strcspn(desc, ":");

		*fields[i] = (dof_stridx_t)strs.n;
		bytes_add(&strs, desc, n);
		bytes_add(&strs, "", 1);
		desc += n + (desc[n] == ':');
	}
	pd.dofp_strtab = build_section(b, DOF_SECT_STRTAB, 1, 0, strs.p, strs.n);
	bytes_free(&strs);
	ed.dofe_probes = build_section(b, DOF_SECT_PROBEDESC, 4, 0, &pd, sizeof(pd));
	if (pred)
		ed.dofe_pred = build_difo_text(b, pred);
	build_section(b, DOF_SECT_ECBDESC, 8, 0, &ed, sizeof(ed));
}

void build_option(struct build_dof *b, uint32_t option, uint64_t value)
{
	dof_optdesc_t od = {
		.dofo_option = option, .dofo_strtab = DOF_SECIDX_NONE, .dofo_value = value};

	build_section(b, DOF_SECT_OPTDESC, 8, sizeof(od), &od, sizeof(od));
}

const void *build_finish(struct build_dof *b, size_t *size)
{
	dof_hdr_t h = {.dofh_ident = {0x7f, 'D', 'O', 'F', DOF_MODEL_LP64, DOF_ENCODE_LSB,
				      DOF_VERSION, DIF_VERSION, DIF_DIR_NREGS, DIF_DTR_NREGS},
		       .dofh_hdrsize = sizeof(dof_hdr_t),
		       .dofh_secsize = sizeof(dof_sec_t),
		       .dofh_secnum = b->nsecs,
		       .dofh_secoff = sizeof(dof_hdr_t)};

	b->out.n = 0;
	bytes_add(&b->out, NULL, sizeof(h) + b->nsecs * sizeof(dof_sec_t));
	for (uint32_t i = 0; i < b->nsecs; i++) {
		bytes_align(&b->out, 8);
		b->secs[i].dofs_offset = b->out.n;
		b->secs[i].dofs_size = b->data[i].n;
		if (b->data[i].n)
			bytes_add(&b->out, b->data[i].p, b->data[i].n);
	}
	h.dofh_loadsz = h.dofh_filesz = b->out.n;
	memcpy(b->out.p, &h, sizeof(h));
	memcpy(b->out.p + sizeof(h), b->secs, b->nsecs * sizeof(dof_sec_t));
	*size = b->out.n;
	return b->out.p;
}

void build_dof_free(struct build_dof *b)
{
	for (uint32_t i = 0; i < b->nsecs; i++)
		bytes_free(&b->data[i]);
	bytes_free(&b->out);
	b->nsecs = 0;
}

/* ---- snapshots ---- */

static int build_emit(void *ctx, const void *data, size_t n)
{
	bytes_add(ctx, data, n);
	return 0;
}

int build_snapshot(dtrace_state_t *state, bool agg, unsigned int cpu, struct bytes *out,
		   dtrace_bufdesc_t *desc)
{
	dtrace_bufdesc_t bd = {.dtbd_size = 1ULL << 32, .dtbd_cpu = cpu};
	int rc = dtrace_state_snapshot(state, agg, &bd, build_emit, out);

	if (desc)
		*desc = bd;
	return rc;
}

const dtrace_rechdr_t *build_record(const struct bytes *b, unsigned int n)
{
	for (size_t off = 0; off < b->n;) {
		const dtrace_rechdr_t *h = (const void *)(b->p + off);

		if (!n--)
			return h;
		off += h->dtrh_size;
	}
	return NULL;
}

const dtrace_aggrec_t *build_aggrec(const struct bytes *b, unsigned int n)
{
	for (size_t off = 0; off < b->n;) {
		const dtrace_aggrec_t *a = (const void *)(b->p + off);

		if (!n--)
			return a;
		off += a->dtar_size;
	}
	return NULL;
}
