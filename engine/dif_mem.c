/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * dif_mem.c - memory as a program sees it.
 *
 * Some memory may be read in place: allocated scratch, the strings of DIFOs, and the names of the
 * probe. The storage of variables is copied, since other CPUs may write it meanwhile. Any other
 * address is the kernel's and is read by target_load_kernel, if the session may; a helper may not.
 * Only scratch and variables may be written.
 *
 * A session that may not see the kernel knows none of its addresses: see mem_handle().
 */
#include "dif_mem.h"
#include "difo.h"
#include "fire.h"

/* strings that are not ours are fetched in blocks that cross no such boundary, so no page either */
#define MEM_CHUNK 64

void dif_fault(struct mstate *m, uint32_t fault, uint64_t addr)
{
	if (m->faulted)
		return;
	m->faulted = true;
	m->fault = fault;
	m->fault_addr = addr;
}

/*
 * Return a pointer to addr if it is in the len bytes at start, which the program knows as base. *n:
 * the bytes requested, on return those from addr on, at most as many. NULL: it is not there.
 */
static inline uint8_t *mem_within(uint64_t addr, size_t *n, void *start, size_t len, uint64_t base)
{
	uint64_t off = addr - base;

	if (!start || off >= len)
		return NULL;
	off = port_nospec(off, len);
	if (*n > len - off)
		*n = len - off;
	return (uint8_t *)start + off;
}

/* Find bytes as mem_within() does, in the scratch that has been allocated. */
static inline uint8_t *mem_within_scratch(const struct mstate *m, uint64_t addr, size_t *n)
{
	return mem_within(addr, n, m->scratch, (size_t)(m->scratch_top - m->scratch),
			  mem_handle(m, m->scratch));
}

/*
 * Find bytes as mem_within() does, in the storage of the variables of a table. *n becomes 0 if they
 * are of none: programs have no pointers to integers, nor to what is before a variable or between
 * two.
 */
static uint8_t *mem_within_table(const struct var_table *t, uint64_t addr, size_t *n,
				 uint8_t *storage, uint64_t base)
{
	uint8_t *p = mem_within(addr, n, storage, t->bytes, base);
	const struct var_def *def;
	uint32_t off, end;

	if (!p)
		return NULL;
	off = (uint32_t)(p - storage);
	def = var_at(t, off);
	end = def->offset + 8 + def->size;
	if (!var_is_byref(def) || off < def->offset + 8 || off >= end)
		*n = 0;
	else if (*n > end - off)
		*n = end - off;
	return p;
}

/* Find bytes as mem_within_table() does, of the variables of the program. */
static uint8_t *mem_within_vars(const struct mstate *m, uint64_t addr, size_t *n)
{
	const struct var_table *t = (m->helping ? m->vars : &m->state->vars)->scopes;
	uint8_t *p = mem_within_table(&t[DIFV_SCOPE_LOCAL], addr, n, m->locals,
				      mem_handle_var(m, m->locals, DIFV_SCOPE_LOCAL, 0));

	if (!p && !m->helping)
		p = mem_within_table(&t[DIFV_SCOPE_GLOBAL], addr, n, m->state->globals,
				     mem_handle_var(m, m->state->globals, DIFV_SCOPE_GLOBAL, 0));
	return p;
}

/*
 * Find bytes as mem_within() does, at the handle of a string of any DIFO with the same variables.
 * Handles of strings are the same in all engines of a session.
 */
static uint8_t *mem_within_strings(const struct mstate *m, uint64_t addr, size_t *n)
{
	const struct var_space *vars = m->helping ? m->vars : &m->state->vars;
	uint64_t number = addr >> 24 & 0xffffff;
	const struct var_strings *s;

	if (!m->hide || addr >> 48 != MEM_HANDLE_STRS(0) >> 48 || number >= vars->nstrings)
		return NULL;
	s = &vars->strings[port_nospec(number, vars->nstrings)];
	return mem_within(addr, n, (void *)s->strs, s->bytes, MEM_HANDLE_STRS(number));
}

const uint8_t *mem_direct(struct mstate *m, uint64_t addr, size_t *n)
{
	const struct difo *difo = m->difo;
	dtrace_probe_t *probe = m->probe;
	uint8_t *p = mem_within_scratch(m, addr, n);

	if (!p)
		p = mem_within(addr, n, difo->strs, difo->nstrs, mem_handle_str(m, difo, 0));
	if (!p && !m->helping)
		p = mem_within(addr, n, probe->names, probe->nameslen,
			       mem_handle_name(m, probe->names));
	if (!p)
		p = mem_within_strings(m, addr, n);
	return p;
}

bool mem_kernel_allowed(struct mstate *m, uint64_t addr)
{
	if (m->state->cred.privs & DTRACE_PRIV_KERNEL && !m->helping)
		return true;
	dif_fault(m, DTRACEFLT_KPRIV, addr);
	return false;
}

/*
 * Return whether n bytes at addr touch scratch or the memory around it. The caller has found that
 * they are not allocated scratch, so that no program may have them.
 */
static bool mem_is_outside(const struct mstate *m, uint64_t addr, size_t n)
{
	uint64_t start = (uint64_t)(uintptr_t)m->scratch - MEM_GUARD;
	uint64_t end = (uint64_t)(uintptr_t)m->scratch + DTRACE_SCRATCHCPU + MEM_GUARD;

	return addr < end && addr + n > start;
}

static bool mem_load_kernel(struct mstate *m, void *dst, uint64_t addr, size_t n)
{
	if (!mem_kernel_allowed(m, addr) || !dif_charge(m, WORK_FETCH + n / 32))
		return false;
	/* no guess that the session may see the kernel must begin the load */
	port_nospec_barrier();
	if (mem_is_outside(m, addr, n) || target_load_kernel(dst, addr, n) != 0) {
		dif_fault(m, DTRACEFLT_BADADDR, addr);
		return false;
	}
	return true;
}

/*
 * Copy n bytes of a variable, a word at once if it is one, or fault if they are of none. Return
 * false, without a fault, if they are not in the storage of variables.
 */
static bool mem_load_var(struct mstate *m, void *dst, uint64_t addr, size_t n)
{
	size_t have = n;
	uint8_t *p = mem_within_vars(m, addr, &have);
	uint64_t word;

	if (!p)
		return false;
	if (have != n) {
		dif_fault(m, DTRACEFLT_BADADDR, addr);
		return true;
	}
	if (n == sizeof(word) && addr % sizeof(word) == 0) {
		word = port_read_once((uint64_t *)(void *)p);
		memcpy(dst, &word, sizeof(word));
	} else if (dif_charge_bytes(m, n)) {
		memmove(dst, p, n);
	}
	return true;
}

bool mem_load(struct mstate *m, void *dst, uint64_t addr, size_t n)
{
	size_t have = n;
	const uint8_t *p = mem_direct(m, addr, &have);

	if (p && have == n) {
		if (n > 64 && !dif_charge_bytes(m, n))
			return false;
		memmove(dst, p, n);
		return true;
	}
	if (mem_load_var(m, dst, addr, n))
		return !m->faulted;
	return mem_load_kernel(m, dst, addr, n);
}

bool mem_user_allowed(struct mstate *m, uint64_t addr)
{
	if (mstate_sees_process(m))
		return true;
	dif_fault(m, DTRACEFLT_UPRIV, addr);
	return false;
}

bool mem_user_destructible(struct mstate *m, uint64_t addr)
{
	const struct dtrace_cred *cred = &m->state->cred;

	if (cred->privs & DTRACE_PRIV_OWNER ||
	    (cred->privs & DTRACE_PRIV_PROC && target_owns(cred)))
		return true;
	dif_fault(m, DTRACEFLT_UPRIV, addr);
	return false;
}

bool mem_load_user(struct mstate *m, void *dst, uint64_t addr, size_t n)
{
	if (!mem_user_allowed(m, addr) || !dif_charge(m, WORK_FETCH + n / 32))
		return false;
	if (target_load_user(dst, addr, n) == 0)
		return true;
	dif_fault(m, DTRACEFLT_BADADDR, addr);
	return false;
}

uint8_t *mem_writable(struct mstate *m, uint64_t addr, size_t n)
{
	size_t have = n;
	uint8_t *p;

	if (!n)
		return m->scratch;
	p = mem_within_scratch(m, addr, &have);
	if (!p)
		p = mem_within_vars(m, addr, &have);
	if (p && have == n)
		return p;
	dif_fault(m, DTRACEFLT_BADADDR, addr);
	return NULL;
}

/* Return the length of a string up to a NUL, at most max. */
static size_t mem_strnlen(const char *p, size_t max)
{
	size_t n = 0;

	while (n < max && p[n])
		n++;
	return n;
}

typedef bool (*mem_loader)(struct mstate *m, void *dst, uint64_t addr, size_t n);

/*
 * Copy a string to scratch, charged block by block. It takes only the bytes that it needs, with its
 * NUL.
 */
static bool mem_fetch(struct mstate *m, uint64_t addr, size_t max, struct str *s, mem_loader load)
{
	char *dst = mem_alloc_free(m, max + 1);
	size_t n = 0, got, len;

	if (!dst)
		return false;
	while (n < max) {
		got = MEM_CHUNK - (addr + n) % MEM_CHUNK;
		if (got > max - n)
			got = max - n;
		if (!dif_charge_scan(m, got) || !load(m, dst + n, addr + n, got))
			return false;
		len = mem_strnlen(dst + n, got);
		n += len;
		if (len < got)
			break;
	}
	dst[n] = '\0';
	m->scratch_top = (uint8_t *)dst + n + 1;
	s->p = dst;
	s->n = n;
	s->addr = addr;
	return true;
}

bool mem_string(struct mstate *m, uint64_t addr, size_t max, struct str *s)
{
	size_t have = max, left = max;
	const uint8_t *p = mem_direct(m, addr, &have);

	if (!p && mem_within_vars(m, addr, &left) && !left && max) {
		dif_fault(m, DTRACEFLT_BADADDR, addr);
		return false;
	}
	if (!p)
		return mem_fetch(m, addr, left, s, mem_load); /* it ends where its variable ends */
	s->p = (const char *)p;
	s->n = 0;
	s->addr = addr;
	for (size_t got = MEM_CHUNK, len = got; len == got && s->n < have; s->n += len) {
		got = have - s->n < got ? have - s->n : got;
		if (!dif_charge_scan(m, got))
			return false;
		len = mem_strnlen(s->p + s->n, got);
	}
	return true;
}

bool mem_string_user(struct mstate *m, uint64_t addr, size_t max, struct str *s)
{
	return mem_fetch(m, addr, max, s, mem_load_user);
}

char *mem_put_string(struct mstate *m, const char *p, size_t n)
{
	char *dst = mem_alloc(m, (uint64_t)n + 1);

	if (!dst)
		return NULL;
	memmove(dst, p, n);
	dst[n] = '\0';
	return dst;
}

uint64_t mem_put(struct mstate *m, const char *p, size_t n)
{
	return mem_handle(m, mem_put_string(m, p, n));
}

/*
 * Copy a string to dst, which has size bytes: at once if it can be read in place, otherwise block
 * by block.
 */
static uint32_t mem_copy_string(struct mstate *m, uint8_t *dst, uint64_t addr, uint32_t size,
				bool user)
{
	uint8_t *top = m->scratch_top;
	struct str s;
	bool ok = user ? mem_string_user(m, addr, size - 1, &s) : mem_string(m, addr, size - 1, &s);

	m->scratch_top = top;
	if (!ok || !dif_charge_bytes(m, s.n))
		return 0;
	memmove(dst, s.p, s.n);
	dst[s.n] = '\0';
	return (uint32_t)s.n + 1;
}

uint32_t mem_copy_value(struct mstate *m, uint8_t *dst, uint64_t addr, uint32_t size,
			const dtrace_diftype_t *type)
{
	bool user = type->dtdt_flags & DIF_TF_BYUREF;

	if (!size)
		return 0;
	if (type->dtdt_kind == DIF_TYPE_STRING)
		return mem_copy_string(m, dst, addr, size, user);
	if (user ? mem_load_user(m, dst, addr, size) : mem_load(m, dst, addr, size))
		return size;
	return 0;
}
