/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * dif_mem.h - memory as a program sees it: handles, scratch, strings. (dif_mem.c)
 *
 * False, NULL or 0 as a result stands for a fault. Scratch belongs to the firing on its CPU: no
 * lock protects it. Memory of the target may change while it is read; each function copies it
 * first.
 */
#ifndef DTRACE_ENGINE_DIF_MEM_H
#define DTRACE_ENGINE_DIF_MEM_H

#include "difo.h"
#include "fire.h"
#include "probe.h"

/*
 * Handles. A helper, or a program of a session that may not see the kernel, must not learn
 * addresses of the kernel. It gets handles instead of addresses: a base for each kind of memory
 * that can be read in place, plus the offset. Arithmetic on handles works as on addresses. No
 * address of a processor with 48 or 57 bits begins with the byte of MEM_HANDLE. The handles of
 * strings and of names contain a number, which tells programs and probes apart.
 */
#define MEM_HANDLE	    (0xd6ULL << 56)
#define MEM_HANDLE_SCRATCH  (MEM_HANDLE | 1ULL << 48)
#define MEM_HANDLE_STRS(n)  (MEM_HANDLE | 2ULL << 48 | ((uint64_t)(n)&0xffffff) << 24)
#define MEM_HANDLE_NAMES(n) (MEM_HANDLE | 3ULL << 48 | ((uint64_t)(n)&0x7fffff) << 24)
#define MEM_HANDLE_GLOBALS  (MEM_HANDLE | 4ULL << 48)
#define MEM_HANDLE_LOCALS   (MEM_HANDLE | 5ULL << 48)

/* mem_base - return start as the program knows it: the address, or the handle. */
static inline uint64_t mem_base(const struct mstate *m, const void *start, uint64_t handle)
{
	uint64_t addr = (uint64_t)(uintptr_t)start;

	return addr ^ ((addr ^ handle) & m->hide);
}
/* mem_handle - return what a program gets for a pointer to scratch; for NULL, 0. */
static inline uint64_t mem_handle(const struct mstate *m, const void *p)
{
	if (!p)
		return 0;
	return mem_base(m, m->scratch, MEM_HANDLE_SCRATCH) +
	       (uint64_t)((const uint8_t *)p - m->scratch);
}
/* mem_handle_str - return what a program gets for a string of its DIFO, at an offset. */
static inline uint64_t mem_handle_str(const struct mstate *m, const struct difo *d, uint32_t off)
{
	return mem_base(m, d->strs, MEM_HANDLE_STRS(d->strings)) + off;
}
/* mem_handle_name - return what a program gets for one of the names of the firing probe. */
static inline uint64_t mem_handle_name(const struct mstate *m, const char *name)
{
	return mem_base(m, m->probe->names, MEM_HANDLE_NAMES(m->probe->id)) +
	       (uint64_t)(name - m->probe->names);
}
/* mem_handle_var - return what a program gets for an offset in the storage of a scope. */
static inline uint64_t mem_handle_var(const struct mstate *m, const uint8_t *storage,
				      unsigned int scope, uint32_t off)
{
	bool global = scope == DIFV_SCOPE_GLOBAL;

	return mem_base(m, storage, global ? MEM_HANDLE_GLOBALS : MEM_HANDLE_LOCALS) + off;
}

struct str { /* not always NUL-terminated */
	const char *p;
	size_t n;
	uint64_t addr; /* of the first byte, as the program knows it */
};
/*
 * mem_direct - return where the memory at addr can be read in place. *n: in, those requested; out,
 * the readable bytes, at most as many. Return NULL without a fault if addr is memory of the kernel.
 */
const uint8_t *mem_direct(struct mstate *m, uint64_t addr, size_t *n);
/* mem_load - copy n bytes from addr, in place or from the kernel's memory. */
bool mem_load(struct mstate *m, void *dst, uint64_t addr, size_t n);
/* mem_load_user - copy n bytes from an address of the current process. */
bool mem_load_user(struct mstate *m, void *dst, uint64_t addr, size_t n);
/*
 * mem_user_allowed - return whether the session may read the current process; if not, it faults at
 * addr. BEGIN, END and ERROR fire in whatever process their CPU runs.
 */
bool mem_user_allowed(struct mstate *m, uint64_t addr);
/*
 * mem_user_destructible - return whether the session may write the current process or send it
 * signals; if not, it faults at addr. The right to see the kernel is not enough.
 */
bool mem_user_destructible(struct mstate *m, uint64_t addr);
/*
 * mem_kernel_allowed - return whether the session may read the kernel's memory; if not, it faults
 * at addr.
 */
bool mem_kernel_allowed(struct mstate *m, uint64_t addr);
/*
 * mem_writable - return a pointer to the n bytes at addr, which must be allocated scratch or
 * storage of the program's variables.
 */
uint8_t *mem_writable(struct mstate *m, uint64_t addr, size_t n);
#define MEM_GUARD 4096 /* bytes on each side of scratch that programs cannot reach */
/*
 * mem_note_used - note that scratch before end was written, and must be cleared before others get
 * it.
 */
static inline void mem_note_used(struct mstate *m, uint8_t *end)
{
	if (end > m->scratch_used)
		m->scratch_used = end;
}
/*
 * mem_alloc_free - allocate n bytes of scratch, 8-byte aligned and not cleared, free of charge. The
 * caller fills all that a program can reach, since there may be addresses in it. A program cannot
 * read what lies behind.
 */
static inline void *mem_alloc_free(struct mstate *m, uint64_t n)
{
	uint64_t pad = -(uint64_t)(uintptr_t)m->scratch_top & 7;
	uint64_t left = (uint64_t)(m->scratch_end - m->scratch_top);
	uint8_t *p = m->scratch_top + pad;

	core_assert(m->scratch_top >= m->scratch && m->scratch_top <= m->scratch_end);
	if (left < pad || n > left - pad) {
		dif_fault(m, DTRACEFLT_NOSCRATCH, 0);
		return NULL;
	}
	if (pad) /* a program can read the bytes that are skipped */
		*(uint64_t *)(void *)(p - 8) &= UINT64_MAX >> (8 * pad);
	m->scratch_top = p + n;
	mem_note_used(m, m->scratch_top);
	return p;
}
/* mem_alloc - allocate as mem_alloc_free() does, and charge for filling n bytes. */
static inline void *mem_alloc(struct mstate *m, uint64_t n)
{
	void *p = mem_alloc_free(m, n);

	return p && dif_charge_bytes(m, n) ? p : NULL;
}
/* mem_string - find the string at addr, of at most max bytes: in place, or as a copy in scratch. */
bool mem_string(struct mstate *m, uint64_t addr, size_t max, struct str *s);
/* mem_string_user - copy the string at an address of the current process to scratch. */
bool mem_string_user(struct mstate *m, uint64_t addr, size_t max, struct str *s);
/* mem_put_string - make a string of n bytes in scratch, and a NUL; return it. */
char *mem_put_string(struct mstate *m, const char *p, size_t n);
/* mem_put - make a string as mem_put_string() does; return it as the program knows it. */
uint64_t mem_put(struct mstate *m, const char *p, size_t n);
/*
 * mem_copy_value - copy a by-reference value to dst: a string up to its NUL and cut to size,
 * anything else whole. Return the bytes used.
 */
uint32_t mem_copy_value(struct mstate *m, uint8_t *dst, uint64_t addr, uint32_t size,
			const dtrace_diftype_t *type);

#endif
