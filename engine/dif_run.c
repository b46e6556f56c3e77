/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * dif_run.c - the DIF interpreter: one flat switch over verified instructions, and the built-in
 * variables.
 *
 * A fault ends the program at the instruction that m->pc names. Time is bounded: branches go
 * forward, so that the caller can charge for a program's length before it runs, and instructions
 * that touch more than a few words are charged for those.
 */
#include "dif_mem.h"
#include "difo.h"
#include "dynvar.h"
#include "enabling.h"
#include "fire.h"
#include "ustack.h"
#include "var.h"
#include "vtime.h"

struct dif_cc {
	bool n, z, v, c; /* negative, zero, signed overflow, unsigned below */
};

/* ---- built-in variables ---- */

const struct target_thread *mstate_thread(struct mstate *m)
{
	if (!(m->have & MSTATE_THREAD)) {
		target_thread(&m->thread);
		m->have |= MSTATE_THREAD;
	}
	return &m->thread;
}

const struct target_thread *mstate_numbers(struct mstate *m)
{
	const struct target_thread *t = mstate_thread(m);

	if (port_likely(!m->state->cred.pid_ns))
		return t;
	m->numbers = *t;
	target_thread_in_ns(m->state->cred.pid_ns, &m->numbers);
	return &m->numbers;
}

/*
 * Return whether the session may have the arguments of the probe. The arguments of a probe that
 * interrupts the kernel, such as a program counter, are the kernel's; those of a probe that
 * interrupts a process are that process's.
 */
static bool dif_arg_allowed(const struct mstate *m)
{
	if (!m->fire->regs)
		return true;
	if (!m->fire->user)
		return m->state->cred.privs & DTRACE_PRIV_KERNEL;
	return !m->fire->no_process || mstate_sees_process(m);
}

/* Return the value of argn (raw) or args[n]. */
static uint64_t dif_getarg(struct mstate *m, unsigned int n, bool raw)
{
	const dtrace_probe_t *p = m->probe;

	if (!dif_arg_allowed(m))
		return 0;
	if (p->prov->ops->getargval && (!raw || n >= m->fire->nargs))
		return p->prov->ops->getargval(p->prov->arg, m->probe, p->parg, m->fire, n, raw);
	return n < m->fire->nargs ? m->fire->args[port_nospec(n, m->fire->nargs)] : 0;
}

/*
 * Return whether the probe has interrupted the kernel, so that the kernel's stack begins with the
 * interrupted code.
 */
static bool dif_interrupted_kernel(const struct mstate *m)
{
	return m->fire->regs && !m->fire->user;
}

/*
 * Find up to n frames of a stack, in scratch beyond its top. Return their number, or -1 after a
 * fault.
 */
static int dif_frames(struct mstate *m, uint64_t **pcs, uint32_t n, bool user)
{
	uint32_t skip = user ? 0 : m->fire->caller_skip;
	uint8_t *top = m->scratch_top;
	int got;

	*pcs = mem_alloc_free(m, (uint64_t)(n + skip) * 8);
	m->scratch_top = top;
	if (!*pcs || !dif_charge(m, WORK_UFRAME) || (user && !mem_user_allowed(m, 0)))
		return -1;
	if (user)
		got = target_ustack(*pcs, NULL, n, m->fire->regs, ustack_how(m));
	else
		got = (int)target_stack(*pcs, n + skip, m->fire->regs);
	if (got > 0 && !dif_charge(m, (uint64_t)got * (user ? WORK_UFRAME : WORK_KFRAME)))
		return -1;
	*pcs += skip;
	return got > (int)skip ? got - (int)skip : 0;
}

/* Return a variable about a stack: its depth, or the caller. */
static uint64_t dif_stack_var(struct mstate *m, uint32_t var)
{
	bool user = var == DIF_VAR_USTACKDEPTH || var == DIF_VAR_UCALLER;
	/* the program counter itself comes first */
	uint32_t frame = user || (dif_interrupted_kernel(m) && !m->fire->from_caller);
	uint64_t *pcs;
	int n;

	if (!user && !mem_kernel_allowed(m, 0))
		return 0;
	if (var == DIF_VAR_STACKDEPTH || var == DIF_VAR_USTACKDEPTH) {
		n = dif_frames(m, &pcs, DTRACE_STACKFRAMES_MAX, user);
		return n > 0 ? (uint64_t)n : 0;
	}
	n = dif_frames(m, &pcs, frame + 1, user);
	return n > (int)frame ? pcs[frame] : 0;
}

/*
 * Return a variable about the current thread. BEGIN and END may fire in a thread that the session
 * may not see.
 */
static uint64_t dif_thread_var(struct mstate *m, uint32_t var)
{
	const struct target_thread *t;

	mstate_thread(m);
	if (var != DIF_VAR_PID && var != DIF_VAR_TID)
		target_thread_more(&m->thread);
	t = mstate_numbers(m);
	switch (var) {
	case DIF_VAR_PID:
		return t->pid;
	case DIF_VAR_TID:
		return t->tid;
	case DIF_VAR_PPID:
		return t->ppid;
	case DIF_VAR_UID:
		return t->uid;
	default: /* DIF_VAR_GID */
		return t->gid;
	}
}

/* Return the name of the current process; an empty one if the session may not see the process. */
static uint64_t dif_execname(struct mstate *m)
{
	char *s = dif_charge(m, WORK_FETCH) ? mem_alloc(m, 32) : NULL;

	if (!s)
		return 0;
	memset(s, 0, 32);
	if (mstate_sees_process(m))
		target_execname(s, 32);
	return mem_handle(m, s);
}

/*
 * Return the arguments of the current process; its name if they cannot be read, or if the session
 * may not see them.
 */
static uint64_t dif_execargs(struct mstate *m)
{
	size_t n;
	char *s;

	if (!mstate_sees_process(m))
		return dif_execname(m);
	s = dif_charge_scan(m, m->strsize) ? mem_alloc(m, m->strsize) : NULL;
	if (!s)
		return 0;
	n = target_args(s, m->strsize - 1);
	if (!n) {
		memset(s, 0, m->strsize);
		return dif_execname(m);
	}
	for (size_t i = 0; i < n; i++)
		s[i] = s[i] ? s[i] : ' ';
	while (n && s[n - 1] == ' ')
		n--;
	memset(s + n, 0, m->strsize - n);
	return mem_handle(m, s);
}

static uint64_t dif_zone(struct mstate *m, const char *first)
{
	struct target_zone z;

	if (!mstate_sees_process(m))
		return mem_put(m, "", 0);
	if (!dif_charge(m, WORK_UFRAME))
		return 0;
	target_zone(&z);
	if (!z.id)
		return mem_put(m, first, strlen(first));
	return mem_put(m, z.name, strlen(z.name));
}

static uint64_t dif_zone_id(const struct mstate *m)
{
	struct target_zone z;

	if (!mstate_sees_process(m))
		return 0;
	target_zone(&z);
	return z.id;
}

uint64_t mstate_timestamp(struct mstate *m)
{
	if (!(m->have & MSTATE_TIME)) {
		m->timestamp = port_timestamp();
		m->have |= MSTATE_TIME;
	}
	return m->timestamp;
}

static uint64_t dif_vtimestamp(struct mstate *m)
{
	if (mstate_hides_thread(m))
		return 0;
	if (!(m->have & MSTATE_VTIME)) {
		m->vtimestamp = vtime_now(m);
		m->have |= MSTATE_VTIME;
	}
	return m->vtimestamp;
}

static uint64_t dif_walltimestamp(struct mstate *m)
{
	if (!(m->have & MSTATE_WALL)) {
		m->walltimestamp = port_walltimestamp();
		m->have |= MSTATE_WALL;
	}
	return m->walltimestamp;
}

static uint64_t dif_provname(struct mstate *m)
{
	const dtrace_provider_t *prov = m->probe->prov;
	const char *name = ecb_provname(m->ecb);
	char child[DTRACE_PROVNAMELEN];

	if (m->fire->child && prov->ops->name_of_child) {
		prov->ops->name_of_child(prov->arg, (uint32_t)mstate_numbers(m)->pid, child);
		return mem_put(m, child, strlen(child));
	}
	return m->state->cred.pid_ns ? mem_put(m, name, strlen(name)) : mem_handle_name(m, name);
}

/* Return the value of a built-in variable. */
static uint64_t dif_builtin(struct mstate *m, uint32_t var)
{
	switch (var) {
	case DIF_VAR_CURTHREAD:
		return mem_kernel_allowed(m, 0) ? mstate_thread(m)->thread : 0;
	case DIF_VAR_TIMESTAMP:
		return mstate_timestamp(m);
	case DIF_VAR_VTIMESTAMP:
		return dif_vtimestamp(m);
	case DIF_VAR_WALLTIMESTAMP:
		return dif_walltimestamp(m);
	case DIF_VAR_IPL:
		return target_ipl();
	case DIF_VAR_EPID:
		return port_read_once(&m->ecb->told.epid);
	case DIF_VAR_ID:
		return port_read_once(&m->ecb->told.id);
	case DIF_VAR_STACKDEPTH:
	case DIF_VAR_CALLER:
	case DIF_VAR_USTACKDEPTH:
	case DIF_VAR_UCALLER:
		return dif_stack_var(m, var);
	case DIF_VAR_PROBEPROV:
		return dif_provname(m);
	case DIF_VAR_PROBEMOD:
		return mem_handle_name(m, m->probe->mod);
	case DIF_VAR_PROBEFUNC:
		return mem_handle_name(m, m->probe->func);
	case DIF_VAR_PROBENAME:
		return mem_handle_name(m, m->probe->name);
	case DIF_VAR_PID:
	case DIF_VAR_TID:
	case DIF_VAR_PPID:
	case DIF_VAR_UID:
	case DIF_VAR_GID:
		return mstate_sees_process(m) ? dif_thread_var(m, var) : 0;
	case DIF_VAR_ERRNO:
		return mstate_sees_process(m) ? (uint64_t)(int64_t)m->fire->err : 0;
	case DIF_VAR_EXECNAME:
		return dif_execname(m);
	case DIF_VAR_ZONENAME:
		return dif_zone(m, "global");
	case DIF_VAR_JAILNAME:
		return dif_zone(m, "0");
	case DIF_VAR_JID:
		return dif_zone_id(m);
	case DIF_VAR_EXECARGS:
		return dif_execargs(m);
	case DIF_VAR_CPU:
		return port_cpu_number(m->cpu);
	default: /* arg0 to arg9 */
		return dif_getarg(m, var - DIF_VAR_ARG0, true);
	}
}

/* Return an element of a built-in array. */
static uint64_t dif_array(struct mstate *m, uint32_t var, uint64_t index)
{
	uint64_t value = 0;

	if (var == DIF_VAR_ARGS) {
		if (index >= DTRACE_USDT_MAXARGS) {
			dif_fault(m, DTRACEFLT_ILLOP, 0);
			return 0;
		}
		return dif_getarg(m, (unsigned int)index, false);
	}
	if (var == DIF_VAR_REGS) {
		if (!mem_kernel_allowed(m, 0))
			return 0;
		if (!dif_interrupted_kernel(m) || index > 1024 ||
		    target_kernel_reg(&value, (unsigned int)index, m->fire->regs) != 0)
			dif_fault(m, DTRACEFLT_ILLOP, 0);
		return value;
	}
	if (!mem_user_allowed(m, 0)) /* they are the process's, whatever the probe interrupts */
		return 0;
	if (index > 1024 || target_reg(&value, (unsigned int)index, m->fire->regs) != 0)
		dif_fault(m, DTRACEFLT_ILLOP, 0);
	return value;
}

/* ---- memory ---- */

/* Extend a value of size bytes to 64 bits. */
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

/* Load an integer. The opcodes come in groups of seven: sb sh sw ub uh uw x. */
static uint64_t dif_load(struct mstate *m, unsigned int nth, uint64_t addr, bool user)
{
	static const uint8_t sizes[] = {1, 2, 4, 1, 2, 4, 8};
	unsigned int size = sizes[nth];
	uint64_t raw = 0;

	if (user ? mem_load_user(m, &raw, addr, size) : mem_load(m, &raw, addr, size))
		return dif_extend(raw, size, nth < 3);
	return 0;
}

/* Store an integer in scratch or in a variable, a word at once. */
static void dif_store(struct mstate *m, uint64_t addr, uint64_t value, unsigned int size)
{
	uint8_t *p = mem_writable(m, addr, size);

	if (p && (addr & (size - 1)))
		dif_fault(m, DTRACEFLT_BADALIGN, addr);
	else if (p && size == sizeof(value))
		port_write_once((uint64_t *)(void *)p, value);
	else if (p)
		memcpy(p, &value, size); /* little-endian: the low bytes come first */
}

/* Allocate n bytes of scratch, all zeros. */
static uint64_t dif_allocs(struct mstate *m, uint64_t n)
{
	void *p = dif_charge(m, WORK_FETCH / 2) ? mem_alloc(m, n) : NULL;

	if (p)
		memset(p, 0, n);
	return mem_handle(m, p);
}

/* Copy n bytes to scratch or to variables. */
static void dif_copys(struct mstate *m, uint64_t from, uint64_t to, uint64_t n)
{
	uint8_t *p = n > DTRACE_SCRATCHSIZE ? NULL : mem_writable(m, to, n);

	if (!p)
		dif_fault(m, DTRACEFLT_BADADDR, to);
	else if (n)
		mem_load(m, p, from, n);
}

/* ---- arithmetic and comparison ---- */

/* Divide, or take the remainder. A divisor of 0 faults. */
static uint64_t dif_divide(struct mstate *m, unsigned int op, uint64_t a, uint64_t b)
{
	if (!b) {
		dif_fault(m, DTRACEFLT_DIVZERO, 0);
		return 0;
	}
	if (!dif_charge(m, WORK_DIVIDE))
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

/* Compare strings as unsigned bytes, at most strsize of them. A null pointer is an empty string. */
static void dif_compare_strings(struct mstate *m, struct dif_cc *cc, uint64_t a, uint64_t b)
{
	struct str s = {.p = ""}, t = {.p = ""};
	uint8_t *top = m->scratch_top;
	size_t i = 0;

	if ((!a || mem_string(m, a, m->strsize, &s)) && (!b || mem_string(m, b, m->strsize, &t))) {
		while (i < s.n && i < t.n && s.p[i] == t.p[i])
			i++;
		dif_charge_scan(m, i);
		dif_compare(cc, i < s.n ? (uint8_t)s.p[i] : 0, i < t.n ? (uint8_t)t.p[i] : 0);
	}
	m->scratch_top = top;
}

/* Return whether a branch is taken. */
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

/* Push an entry on the tuple. */
static void dif_push(struct mstate *m, unsigned int type, uint64_t size, uint64_t value, bool byref)
{
	struct dif_tuple *t = &m->tuple[m->ntuple];

	if (m->ntuple == DIF_DTR_NREGS) {
		dif_fault(m, DTRACEFLT_TUPOFLOW, 0);
		return;
	}
	t->value = value;
	t->size = size;
	t->type = (uint8_t)type;
	t->byref = byref;
	m->ntuple++;
}

/* ---- variables of the program ---- */

static const struct var_def *dif_var(const struct mstate *m, unsigned int scope, uint32_t index)
{
	const struct var_space *vars = port_unlikely(m->helping) ? m->vars : &m->state->vars;

	core_assert(index < vars->scopes[scope].n);
	return &vars->scopes[scope].defs[index];
}

static uint64_t dif_load_var(struct mstate *m, unsigned int op, uint32_t index)
{
	switch (op) {
	case DIF_OP_LDGS:
		return var_scalar_load(m, dif_var(m, DIFV_SCOPE_GLOBAL, index), m->state->globals);
	case DIF_OP_LDLS:
		return var_scalar_load(m, dif_var(m, DIFV_SCOPE_LOCAL, index), m->locals);
	case DIF_OP_LDTS:
		return dynvar_load(m, dif_var(m, DIFV_SCOPE_THREAD, index), index, false);
	case DIF_OP_LDGAA:
		return dynvar_load(m, dif_var(m, DIFV_SCOPE_GLOBAL, index), index, true);
	default:
		return dynvar_load(m, dif_var(m, DIFV_SCOPE_THREAD, index), index, true);
	}
}

static void dif_store_var(struct mstate *m, unsigned int op, uint32_t index, uint64_t value)
{
	switch (op) {
	case DIF_OP_STGS:
		var_scalar_store(m, dif_var(m, DIFV_SCOPE_GLOBAL, index), m->state->globals, value);
		break;
	case DIF_OP_STLS:
		var_scalar_store(m, dif_var(m, DIFV_SCOPE_LOCAL, index), m->locals, value);
		break;
	case DIF_OP_STTS:
		dynvar_store(m, dif_var(m, DIFV_SCOPE_THREAD, index), index, false, value);
		break;
	case DIF_OP_STGAA:
		dynvar_store(m, dif_var(m, DIFV_SCOPE_GLOBAL, index), index, true, value);
		break;
	default:
		dynvar_store(m, dif_var(m, DIFV_SCOPE_THREAD, index), index, true, value);
		break;
	}
}

/* ---- the machine ---- */

/* Clear registers one by one, since an initializer costs more than most programs. */
static inline void dif_clear(uint64_t r[DIF_DIR_NREGS])
{
	r[0] = r[1] = r[2] = r[3] = 0;
	r[4] = r[5] = r[6] = r[7] = 0;
}

#ifndef __KERNEL__
/* Return whether the instruction at pc, which comes next, is as the verifier has promised. */
static bool dif_holds(const struct mstate *m, const struct difo *difo, uint32_t pc)
{
	dif_instr_t in = difo->text[pc];
	unsigned int op = DIF_INSTR_OP(in);

	if (pc >= difo->len || m->ntuple > DIF_DTR_NREGS)
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

/* Run a program from its beginning. Return its value, or 0 after a fault. */
static port_noinline uint64_t dif_interpret(struct mstate *m, const struct difo *difo)
{
	uint64_t r[DIF_DIR_NREGS];
	struct dif_cc cc = {0};
	uint32_t pc = 0;

	dif_clear(r);
	m->ntuple = 0;
	while (!m->faulted) {
		dif_instr_t in = difo->text[pc];
		unsigned int op = DIF_INSTR_OP(in), rd = DIF_INSTR_RD(in);
		uint64_t a = r[DIF_INSTR_R1(in) & 7], b = r[DIF_INSTR_R2(in) & 7];
		uint32_t index = DIF_INSTR_VAR(in);

		core_assert(dif_holds(m, difo, pc));
		m->pc = pc++;
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
			r[rd] = dif_divide(m, op, a, b);
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
			dif_compare_strings(m, &cc, a, b);
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
			r[rd] = dif_load(m, op - DIF_OP_LDSB, a, false);
			break;
		case DIF_OP_RLDSB:
		case DIF_OP_RLDSH:
		case DIF_OP_RLDSW:
		case DIF_OP_RLDUB:
		case DIF_OP_RLDUH:
		case DIF_OP_RLDUW:
		case DIF_OP_RLDX:
			r[rd] = dif_load(m, op - DIF_OP_RLDSB, a, false);
			break;
		case DIF_OP_ULDSB:
		case DIF_OP_ULDSH:
		case DIF_OP_ULDSW:
		case DIF_OP_ULDUB:
		case DIF_OP_ULDUH:
		case DIF_OP_ULDUW:
		case DIF_OP_ULDX:
			r[rd] = dif_load(m, op - DIF_OP_ULDSB, a, true);
			break;
		case DIF_OP_STB:
			dif_store(m, r[rd], a, 1);
			break;
		case DIF_OP_STH:
			dif_store(m, r[rd], a, 2);
			break;
		case DIF_OP_STW:
			dif_store(m, r[rd], a, 4);
			break;
		case DIF_OP_STX:
			dif_store(m, r[rd], a, 8);
			break;
		case DIF_OP_RET:
			m->pc = DIF_NO_PC;
			return r[rd];
		case DIF_OP_NOP:
			break;
		case DIF_OP_SETX:
			r[rd] = difo->ints[index];
			break;
		case DIF_OP_SETS:
			r[rd] = mem_handle_str(m, difo, index);
			break;
		case DIF_OP_LDGA:
			r[rd] = dif_array(m, DIF_INSTR_R1(in), b);
			break;
		case DIF_OP_LDGS:
			if (index < DIF_VAR_OTHER_UBASE) {
				r[rd] = dif_builtin(m, index);
				break;
			}
			r[rd] = dif_load_var(m, op, index - DIF_VAR_OTHER_UBASE);
			break;
		case DIF_OP_LDLS:
		case DIF_OP_LDTS:
		case DIF_OP_LDGAA:
		case DIF_OP_LDTAA:
			r[rd] = dif_load_var(m, op, index - DIF_VAR_OTHER_UBASE);
			break;
		case DIF_OP_STGS:
		case DIF_OP_STLS:
		case DIF_OP_STTS:
		case DIF_OP_STGAA:
		case DIF_OP_STTAA:
			dif_store_var(m, op, index - DIF_VAR_OTHER_UBASE, r[rd]);
			break;
		case DIF_OP_CALL:
			r[rd] = dif_subr_call(m, index);
			break;
		case DIF_OP_PUSHTR:
			dif_push(m, DIF_INSTR_TYPE(in), b, r[rd], true);
			break;
		case DIF_OP_PUSHTV:
			dif_push(m, DIF_INSTR_TYPE(in), b, r[rd], false);
			break;
		case DIF_OP_POPTS:
			m->ntuple -= m->ntuple != 0;
			break;
		case DIF_OP_FLUSHTS:
			m->ntuple = 0;
			break;
		case DIF_OP_ALLOCS:
			r[rd] = dif_allocs(m, a);
			break;
		case DIF_OP_COPYS:
			dif_copys(m, a, r[rd], b);
			break;
		default:
			dif_fault(m, DTRACEFLT_ILLOP, 0);
			break;
		}
	}
	return 0;
}

uint64_t dif_run(struct mstate *m, const struct difo *difo)
{
	m->difo = difo;
	if (!difo->builtin)
		return dif_interpret(m, difo);
	m->pc = 0;
	if (port_likely(difo->builtin >= DIF_VAR_ARG0 && difo->builtin <= DIF_VAR_ARG9))
		return dif_getarg(m, difo->builtin - DIF_VAR_ARG0, true);
	return dif_builtin(m, difo->builtin);
}
