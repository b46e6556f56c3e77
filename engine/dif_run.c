/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * dif_run.c - the DIF interpreter: one flat switch over verified instructions, and the built-in
 * variables.
 *
 * A fault ends the program at the instruction that f->pc names. Time is bounded: branches go forward,
 * so that the caller can charge for a program's length before it runs, and instructions that touch
 * more than a few words are charged for those.
 */
#include "core.h"

struct dif_cc {
	bool n, z, v, c;	/* negative, zero, signed overflow, unsigned below */
};

/* ---- built-in variables ---- */

const struct port_thread *firing_thread(struct firing *f)
{
	if (!(f->have & FIRING_THREAD)) {
		port_thread(&f->thread);
		f->have |= FIRING_THREAD;
	}
	return &f->thread;
}

const struct port_thread *firing_numbers(struct firing *f)
{
	const struct port_thread *t = firing_thread(f);

	if (port_likely(!f->state->cred.view))
		return t;
	f->numbers = *t;
	port_thread_seen(f->state->cred.view, &f->numbers);
	return &f->numbers;
}

/*
 * What a probe is given that fires in the kernel (a program counter, say) is the kernel's; what
 * interrupts a process is that process's.
 */
static bool dif_arg_allowed(const struct firing *f)
{
	if (!f->fire->regs)
		return true;
	if (!f->fire->user)
		return f->state->cred.privs & DTRACE_PRIV_KERNEL;
	return !f->fire->anywhere || firing_sees_process(f);
}

static uint64_t dif_getarg(struct firing *f, unsigned int n, bool raw)
{
	const dtrace_probe_t *p = f->probe;

	if (!dif_arg_allowed(f))
		return 0;
	if (p->prov->ops->getargval && (!raw || n >= f->fire->nargs))
		return p->prov->ops->getargval(p->prov->arg, f->probe, p->parg, f->fire, n, raw);
	return n < f->fire->nargs ? f->fire->args[port_nospec(n, f->fire->nargs)] : 0;
}

/* What was interrupted is in the kernel, so that its stack begins with itself. */
static bool dif_interrupted_kernel(const struct firing *f)
{
	return f->fire->regs && !f->fire->user;
}

/* Up to n frames of the stack in scratch beyond the top; their number, -1 on a fault. */
static int dif_frames(struct firing *f, uint64_t **pcs, uint32_t n, bool user)
{
	uint32_t skip = user ? 0 : (uint32_t)f->fire->caller_skip;
	uint8_t *top = f->scratch_top;
	int got;

	*pcs = mem_alloc_free(f, (uint64_t)(n + skip) * 8);
	f->scratch_top = top;
	if (!*pcs || !dif_charge(f, WORK_UFRAME) || (user && !mem_user_allowed(f, 0)))
		return -1;
	if (user)
		got = port_ustack(*pcs, NULL, n, f->fire->regs, ustack_how(f));
	else
		got = (int)port_stack(*pcs, n + skip, f->fire->regs);
	if (got > 0 && !dif_charge(f, (uint64_t)got * (user ? WORK_UFRAME : WORK_KFRAME)))
		return -1;
	*pcs += skip;
	return got > (int)skip ? got - (int)skip : 0;
}

static uint64_t dif_stack_var(struct firing *f, uint32_t var)
{
	bool user = var == DIF_VAR_USTACKDEPTH || var == DIF_VAR_UCALLER;
	/* the program counter itself comes first */
	uint32_t frame = user || dif_interrupted_kernel(f);
	uint64_t *pcs;
	int n;

	if (!user && !mem_kernel_allowed(f, 0))
		return 0;
	if (var == DIF_VAR_STACKDEPTH || var == DIF_VAR_USTACKDEPTH) {
		n = dif_frames(f, &pcs, DTRACE_STACKFRAMES_MAX, user);
		return n > 0 ? (uint64_t)n : 0;
	}
	n = dif_frames(f, &pcs, frame + 1, user);
	return n > (int)frame ? pcs[frame] : 0;
}

/* Of the current thread; BEGIN and END may fire in one that is not the session's to see. */
static uint64_t dif_thread_var(struct firing *f, uint32_t var)
{
	const struct port_thread *t = firing_numbers(f);

	switch (var) {
	case DIF_VAR_PID:
		return t->pid;
	case DIF_VAR_TID:
		return t->tid;
	case DIF_VAR_PPID:
		return t->ppid;
	case DIF_VAR_UID:
		return t->uid;
	case DIF_VAR_GID:
		return t->gid;
	default:
		return (uint64_t)(int64_t)t->err;
	}
}

static uint64_t dif_execname(struct firing *f)
{
	char *s = dif_charge(f, WORK_FETCH) ? mem_alloc(f, 32) : NULL;

	if (!s)
		return 0;
	memset(s, 0, 32);
	if (firing_sees_process(f))
		port_execname(s, 32);
	return mem_handle(f, s);
}

/* Where the arguments cannot be read, or are not the session's to see, the name has to do. */
static uint64_t dif_execargs(struct firing *f)
{
	size_t n;
	char *s;

	if (!firing_sees_process(f))
		return dif_execname(f);
	s = dif_charge_scan(f, f->strsize) ? mem_alloc(f, f->strsize) : NULL;
	if (!s)
		return 0;
	n = port_args(s, f->strsize - 1);
	if (!n) {
		memset(s, 0, f->strsize);
		return dif_execname(f);
	}
	for (size_t i = 0; i < n; i++)
		s[i] = s[i] ? s[i] : ' ';
	while (n && s[n - 1] == ' ')
		n--;
	memset(s + n, 0, f->strsize - n);
	return mem_handle(f, s);
}

static uint64_t dif_zone(struct firing *f, const char *first)
{
	struct port_zone z;

	if (!firing_sees_process(f))
		return mem_put(f, "", 0);
	if (!dif_charge(f, WORK_UFRAME))
		return 0;
	port_zone(&z);
	if (!z.id)
		return mem_put(f, first, strlen(first));
	return mem_put(f, z.name, strlen(z.name));
}

static uint64_t dif_zone_id(const struct firing *f)
{
	struct port_zone z;

	if (!firing_sees_process(f))
		return 0;
	port_zone(&z);
	return z.id;
}

uint64_t firing_timestamp(struct firing *f)
{
	if (!(f->have & FIRING_TIME)) {
		f->timestamp = port_timestamp();
		f->have |= FIRING_TIME;
	}
	return f->timestamp;
}

static uint64_t dif_vtimestamp(struct firing *f)
{
	if (firing_hides_thread(f))
		return 0;
	if (!(f->have & FIRING_VTIME)) {
		f->vtimestamp = vtime_now(f);
		f->have |= FIRING_VTIME;
	}
	return f->vtimestamp;
}

static uint64_t dif_walltimestamp(struct firing *f)
{
	if (!(f->have & FIRING_WALL)) {
		f->walltimestamp = port_walltimestamp();
		f->have |= FIRING_WALL;
	}
	return f->walltimestamp;
}

static uint64_t dif_provname(struct firing *f)
{
	const char *name = ecb_provname(f->ecb);

	return f->state->cred.view ? mem_put(f, name, strlen(name)) : mem_handle_name(f, name);
}

static uint64_t dif_builtin(struct firing *f, uint32_t var)
{
	switch (var) {
	case DIF_VAR_CURTHREAD:
		return mem_kernel_allowed(f, 0) ? firing_thread(f)->thread : 0;
	case DIF_VAR_TIMESTAMP:
		return firing_timestamp(f);
	case DIF_VAR_VTIMESTAMP:
		return dif_vtimestamp(f);
	case DIF_VAR_WALLTIMESTAMP:
		return dif_walltimestamp(f);
	case DIF_VAR_IPL:
		return port_ipl();
	case DIF_VAR_EPID:
		return f->ecb->epid;
	case DIF_VAR_ID:
		return f->probe->id;
	case DIF_VAR_STACKDEPTH:
	case DIF_VAR_CALLER:
	case DIF_VAR_USTACKDEPTH:
	case DIF_VAR_UCALLER:
		return dif_stack_var(f, var);
	case DIF_VAR_PROBEPROV:
		return dif_provname(f);
	case DIF_VAR_PROBEMOD:
		return mem_handle_name(f, f->probe->mod);
	case DIF_VAR_PROBEFUNC:
		return mem_handle_name(f, f->probe->func);
	case DIF_VAR_PROBENAME:
		return mem_handle_name(f, f->probe->name);
	case DIF_VAR_PID:
	case DIF_VAR_TID:
	case DIF_VAR_PPID:
	case DIF_VAR_UID:
	case DIF_VAR_GID:
	case DIF_VAR_ERRNO:
		return firing_sees_process(f) ? dif_thread_var(f, var) : 0;
	case DIF_VAR_EXECNAME:
		return dif_execname(f);
	case DIF_VAR_ZONENAME:
		return dif_zone(f, "global");
	case DIF_VAR_JAILNAME:
		return dif_zone(f, "0");
	case DIF_VAR_JID:
		return dif_zone_id(f);
	case DIF_VAR_EXECARGS:
		return dif_execargs(f);
	case DIF_VAR_CPU:
		return f->cpu;
	default:		/* arg0 to arg9 */
		return dif_getarg(f, var - DIF_VAR_ARG0, true);
	}
}

static uint64_t dif_array(struct firing *f, uint32_t var, uint64_t index)
{
	uint64_t value = 0;

	if (var == DIF_VAR_ARGS) {
		if (index >= DTRACE_USDT_MAXARGS) {
			dif_fault(f, DTRACEFLT_ILLOP, 0);
			return 0;
		}
		return dif_getarg(f, (unsigned int)index, false);
	}
	if (f->fire->user ? !mem_user_allowed(f, 0) : !mem_kernel_allowed(f, 0))
		return 0;
	if (index > 1024 || port_reg(&value, (unsigned int)index, f->fire->regs) != 0)
		dif_fault(f, DTRACEFLT_ILLOP, 0);
	return value;
}

/* ---- memory ---- */

static uint64_t dif_extend(uint64_t raw, unsigned int size, bool sign)
{
	switch (size) {
	case 1:
		return sign ? (uint64_t)(int64_t)(int8_t)raw : (uint8_t)raw;
	case 2:
		return sign ? (uint64_t)(int64_t)(int16_t)raw : (uint16_t)raw;
	case 4:
		return sign ? (uint64_t)(int64_t)(int32_t)raw : (uint32_t)raw;
	default:
		return raw;
	}
}

/* Loads come in groups of seven opcodes: sb sh sw ub uh uw x. */
static uint64_t dif_load(struct firing *f, unsigned int nth, uint64_t addr, bool user)
{
	static const uint8_t sizes[] = { 1, 2, 4, 1, 2, 4, 8 };
	unsigned int size = sizes[nth];
	uint64_t raw = 0;

	if (user ? mem_load_user(f, &raw, addr, size) : mem_load(f, &raw, addr, size))
		return dif_extend(raw, size, nth < 3);
	return 0;
}

static void dif_store(struct firing *f, uint64_t addr, uint64_t value, unsigned int size)
{
	uint8_t *p = mem_scratch(f, addr, size);

	if (p && (addr & (size - 1)))
		dif_fault(f, DTRACEFLT_BADALIGN, addr);
	else if (p)
		memcpy(p, &value, size);	/* little-endian: the low bytes come first */
}

static uint64_t dif_allocs(struct firing *f, uint64_t n)
{
	void *p = dif_charge(f, WORK_FETCH / 2) ? mem_alloc(f, n) : NULL;

	if (p)
		memset(p, 0, n);
	return mem_handle(f, p);
}

static void dif_copys(struct firing *f, uint64_t from, uint64_t to, uint64_t n)
{
	uint8_t *p = n > DTRACE_SCRATCHSIZE ? NULL : mem_scratch(f, to, n);

	if (!p)
		dif_fault(f, DTRACEFLT_BADADDR, to);
	else if (n)
		mem_load(f, p, from, n);
}

/* ---- arithmetic and comparison ---- */

static uint64_t dif_divide(struct firing *f, unsigned int op, uint64_t a, uint64_t b)
{
	if (!b) {
		dif_fault(f, DTRACEFLT_DIVZERO, 0);
		return 0;
	}
	if (!dif_charge(f, WORK_DIVIDE))
		return 0;
	switch (op) {
	case DIF_OP_SDIV:
		return b == UINT64_MAX ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b);
	case DIF_OP_SREM:
		return b == UINT64_MAX ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
	case DIF_OP_UDIV:
		return a / b;
	default:
		return a % b;
	}
}

static uint64_t dif_sra(uint64_t a, uint64_t n)
{
	uint64_t r = a >> (n & 63);

	return (int64_t)a < 0 && (n & 63) ? r | ~(UINT64_MAX >> (n & 63)) : r;
}

static void dif_compare(struct dif_cc *cc, uint64_t a, uint64_t b)
{
	uint64_t r = a - b;

	cc->n = (int64_t)r < 0;
	cc->z = r == 0;
	cc->v = ((a ^ b) & (a ^ r)) >> 63;
	cc->c = a < b;
}

/* Strings as unsigned bytes, at most strsize of them; a null pointer is an empty string. */
static void dif_compare_strings(struct firing *f, struct dif_cc *cc, uint64_t a, uint64_t b)
{
	struct str s = { .p = "" }, t = { .p = "" };
	uint8_t *top = f->scratch_top;
	size_t i = 0;

	if ((!a || mem_string(f, a, f->strsize, &s)) &&
	    (!b || mem_string(f, b, f->strsize, &t))) {
		while (i < s.n && i < t.n && s.p[i] == t.p[i])
			i++;
		dif_charge_scan(f, i);
		dif_compare(cc, i < s.n ? (uint8_t)s.p[i] : 0, i < t.n ? (uint8_t)t.p[i] : 0);
	}
	f->scratch_top = top;
}

static bool dif_taken(unsigned int op, struct dif_cc cc)
{
	switch (op) {
	case DIF_OP_BE:
		return cc.z;
	case DIF_OP_BNE:
		return !cc.z;
	case DIF_OP_BG:
		return !cc.z && cc.n == cc.v;
	case DIF_OP_BGU:
		return !cc.z && !cc.c;
	case DIF_OP_BGE:
		return cc.n == cc.v;
	case DIF_OP_BGEU:
		return !cc.c;
	case DIF_OP_BL:
		return cc.n != cc.v;
	case DIF_OP_BLU:
		return cc.c;
	case DIF_OP_BLE:
		return cc.z || cc.n != cc.v;
	case DIF_OP_BLEU:
		return cc.z || cc.c;
	default:
		return true;
	}
}

/* ---- tuples ---- */

static void dif_push(struct firing *f, unsigned int type, uint64_t size, uint64_t value, bool byref)
{
	struct dif_tuple *t = &f->tuple[f->ntuple];

	if (f->ntuple == DIF_DTR_NREGS) {
		dif_fault(f, DTRACEFLT_TUPOFLOW, 0);
		return;
	}
	t->value = value;
	t->size = size;
	t->type = (uint8_t)type;
	t->byref = byref;
	f->ntuple++;
}

/* ---- variables of the program ---- */

static const struct var_def *dif_var(const struct firing *f, unsigned int scope, uint32_t index)
{
	const struct var_space *vars = port_unlikely(f->helping) ? f->vars : &f->state->vars;

	core_assert(index < vars->scopes[scope].n);
	return &vars->scopes[scope].defs[index];
}

static uint64_t dif_load_var(struct firing *f, unsigned int op, uint32_t index)
{
	switch (op) {
	case DIF_OP_LDGS:
		return var_scalar_load(f, dif_var(f, DIFV_SCOPE_GLOBAL, index), f->state->globals);
	case DIF_OP_LDLS:
		return var_scalar_load(f, dif_var(f, DIFV_SCOPE_LOCAL, index), f->locals);
	case DIF_OP_LDTS:
		return dynvar_load(f, dif_var(f, DIFV_SCOPE_THREAD, index), index, false);
	case DIF_OP_LDGAA:
		return dynvar_load(f, dif_var(f, DIFV_SCOPE_GLOBAL, index), index, true);
	default:
		return dynvar_load(f, dif_var(f, DIFV_SCOPE_THREAD, index), index, true);
	}
}

static void dif_store_var(struct firing *f, unsigned int op, uint32_t index, uint64_t value)
{
	switch (op) {
	case DIF_OP_STGS:
		var_scalar_store(f, dif_var(f, DIFV_SCOPE_GLOBAL, index), f->state->globals, value);
		break;
	case DIF_OP_STLS:
		var_scalar_store(f, dif_var(f, DIFV_SCOPE_LOCAL, index), f->locals, value);
		break;
	case DIF_OP_STTS:
		dynvar_store(f, dif_var(f, DIFV_SCOPE_THREAD, index), index, false, value);
		break;
	case DIF_OP_STGAA:
		dynvar_store(f, dif_var(f, DIFV_SCOPE_GLOBAL, index), index, true, value);
		break;
	default:
		dynvar_store(f, dif_var(f, DIFV_SCOPE_THREAD, index), index, true, value);
		break;
	}
}

/* ---- the machine ---- */

/* One by one: what compilers make of an initializer costs more than most programs. */
static inline void dif_clear(uint64_t r[DIF_DIR_NREGS])
{
	r[0] = r[1] = r[2] = r[3] = 0;
	r[4] = r[5] = r[6] = r[7] = 0;
}

#ifndef __KERNEL__
/* What the verifier has promised of the instruction at pc, which is carried out next. */
static bool dif_holds(const struct firing *f, const struct difo *difo, uint32_t pc)
{
	dif_instr_t in = difo->text[pc];
	unsigned int op = DIF_INSTR_OP(in);

	if (pc >= difo->len || f->ntuple > DIF_DTR_NREGS)
		return false;
	if (op >= DIF_OP_BA && op <= DIF_OP_BLEU)
		return DIF_INSTR_LABEL(in) > pc && DIF_INSTR_LABEL(in) < difo->len;
	if (op == DIF_OP_SETX && DIF_INSTR_INTEGER(in) >= difo->nints)
		return false;
	if (op == DIF_OP_SETS && DIF_INSTR_STRING(in) >= difo->nstrs)
		return false;
	if (op == DIF_OP_CALL && DIF_INSTR_SUBR(in) > DIF_SUBR_MAX)
		return false;
	return DIF_INSTR_RD(in) < DIF_DIR_NREGS && op && op <= DIF_OP_MAX;
}
#endif

uint64_t dif_run(struct firing *f, const struct difo *difo)
{
	uint64_t r[DIF_DIR_NREGS];
	struct dif_cc cc = { 0 };
	uint32_t pc = 0;

	dif_clear(r);
	f->difo = difo;
	f->ntuple = 0;
	while (!f->faulted) {
		dif_instr_t in = difo->text[pc];
		unsigned int op = DIF_INSTR_OP(in), rd = DIF_INSTR_RD(in);
		uint64_t a = r[DIF_INSTR_R1(in) & 7], b = r[DIF_INSTR_R2(in) & 7];
		uint32_t index = DIF_INSTR_VAR(in);

		core_assert(dif_holds(f, difo, pc));
		f->pc = pc++;
		switch (op) {
		case DIF_OP_OR:
			r[rd] = a | b;
			break;
		case DIF_OP_XOR:
			r[rd] = a ^ b;
			break;
		case DIF_OP_AND:
			r[rd] = a & b;
			break;
		case DIF_OP_SLL:
			r[rd] = a << (b & 63);
			break;
		case DIF_OP_SRL:
			r[rd] = a >> (b & 63);
			break;
		case DIF_OP_SRA:
			r[rd] = dif_sra(a, b);
			break;
		case DIF_OP_SUB:
			r[rd] = a - b;
			break;
		case DIF_OP_ADD:
			r[rd] = a + b;
			break;
		case DIF_OP_MUL:
			r[rd] = a * b;
			break;
		case DIF_OP_SDIV:
		case DIF_OP_UDIV:
		case DIF_OP_SREM:
		case DIF_OP_UREM:
			r[rd] = dif_divide(f, op, a, b);
			break;
		case DIF_OP_NOT:
			r[rd] = ~a;
			break;
		case DIF_OP_MOV:
			r[rd] = a;
			break;
		case DIF_OP_CMP:
			dif_compare(&cc, a, b);
			break;
		case DIF_OP_SCMP:
			dif_compare_strings(f, &cc, a, b);
			break;
		case DIF_OP_TST:
			dif_compare(&cc, a, 0);
			break;
		case DIF_OP_BA:
		case DIF_OP_BE:
		case DIF_OP_BNE:
		case DIF_OP_BG:
		case DIF_OP_BGU:
		case DIF_OP_BGE:
		case DIF_OP_BGEU:
		case DIF_OP_BL:
		case DIF_OP_BLU:
		case DIF_OP_BLE:
		case DIF_OP_BLEU:
			if (dif_taken(op, cc))
				pc = DIF_INSTR_LABEL(in);
			break;
		case DIF_OP_LDSB:
		case DIF_OP_LDSH:
		case DIF_OP_LDSW:
		case DIF_OP_LDUB:
		case DIF_OP_LDUH:
		case DIF_OP_LDUW:
		case DIF_OP_LDX:
			r[rd] = dif_load(f, op - DIF_OP_LDSB, a, false);
			break;
		case DIF_OP_RLDSB:
		case DIF_OP_RLDSH:
		case DIF_OP_RLDSW:
		case DIF_OP_RLDUB:
		case DIF_OP_RLDUH:
		case DIF_OP_RLDUW:
		case DIF_OP_RLDX:
			r[rd] = dif_load(f, op - DIF_OP_RLDSB, a, false);
			break;
		case DIF_OP_ULDSB:
		case DIF_OP_ULDSH:
		case DIF_OP_ULDSW:
		case DIF_OP_ULDUB:
		case DIF_OP_ULDUH:
		case DIF_OP_ULDUW:
		case DIF_OP_ULDX:
			r[rd] = dif_load(f, op - DIF_OP_ULDSB, a, true);
			break;
		case DIF_OP_STB:
			dif_store(f, r[rd], a, 1);
			break;
		case DIF_OP_STH:
			dif_store(f, r[rd], a, 2);
			break;
		case DIF_OP_STW:
			dif_store(f, r[rd], a, 4);
			break;
		case DIF_OP_STX:
			dif_store(f, r[rd], a, 8);
			break;
		case DIF_OP_RET:
			f->pc = DIF_NO_PC;
			return r[rd];
		case DIF_OP_NOP:
			break;
		case DIF_OP_SETX:
			r[rd] = difo->ints[index];
			break;
		case DIF_OP_SETS:
			r[rd] = mem_handle_str(f, difo, index);
			break;
		case DIF_OP_LDGA:
			r[rd] = dif_array(f, DIF_INSTR_R1(in), b);
			break;
		case DIF_OP_LDGS:
			if (index < DIF_VAR_OTHER_UBASE) {
				r[rd] = dif_builtin(f, index);
				break;
			}
			r[rd] = dif_load_var(f, op, index - DIF_VAR_OTHER_UBASE);
			break;
		case DIF_OP_LDLS:
		case DIF_OP_LDTS:
		case DIF_OP_LDGAA:
		case DIF_OP_LDTAA:
			r[rd] = dif_load_var(f, op, index - DIF_VAR_OTHER_UBASE);
			break;
		case DIF_OP_STGS:
		case DIF_OP_STLS:
		case DIF_OP_STTS:
		case DIF_OP_STGAA:
		case DIF_OP_STTAA:
			dif_store_var(f, op, index - DIF_VAR_OTHER_UBASE, r[rd]);
			break;
		case DIF_OP_CALL:
			r[rd] = dif_subr_call(f, index);
			break;
		case DIF_OP_PUSHTR:
			dif_push(f, DIF_INSTR_TYPE(in), b, r[rd], true);
			break;
		case DIF_OP_PUSHTV:
			dif_push(f, DIF_INSTR_TYPE(in), b, r[rd], false);
			break;
		case DIF_OP_POPTS:
			f->ntuple -= f->ntuple != 0;
			break;
		case DIF_OP_FLUSHTS:
			f->ntuple = 0;
			break;
		case DIF_OP_ALLOCS:
			r[rd] = dif_allocs(f, a);
			break;
		case DIF_OP_COPYS:
			dif_copys(f, a, r[rd], b);
			break;
		default:
			dif_fault(f, DTRACEFLT_ILLOP, 0);
			break;
		}
	}
	return 0;
}
