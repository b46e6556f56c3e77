/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * core.h - what all files of the engine use: messages of errors, long loops, assertions.
 *
 * In this and all other headers of the engine, results are 0 or a negative errno unless a comment
 * says otherwise. "With a message" means that the function has written the reason to err. port.h
 * defines "probe context". [L]: the caller holds the engine lock. No lock protects anything here.
 */
#ifndef DTRACE_CORE_H
#define DTRACE_CORE_H

#include "engine.h"
#include "target.h"

/* Where the message of an error goes. */
struct dof_err {
	char *msg; /* may be NULL */
	size_t len;
};
/* ERR - format the message of an error; the value is code. */
#define ERR(e, code, ...) \
	((e)->msg && (e)->len ? (void)snprintf((e)->msg, (e)->len, __VA_ARGS__) : (void)0, (code))

/*
 * relax_at - call port_relax() on every 256th turn of a loop over user input, the first turn
 * included, so that an inner loop covers the outer one. i: the loop's counter. 0 or -EINTR. May
 * sleep.
 */
static inline int relax_at(uint64_t i)
{
	return i & 255 ? 0 : port_relax();
}

/*
 * Assert an invariant that the verifier or an earlier check has established. Builds for tests and
 * fuzzing complain if it is broken, so that they find a wrong bound whatever memory it hits.
 * Firings in the kernel do not pay for it.
 */
#ifdef __KERNEL__
#define core_assert(x) ((void)0)
#else
#define core_assert(x) ((void)(port_likely(x) || PORT_WARN_ON(!(x))))
#endif

/* Keep the order of writes, as an interrupt on this CPU sees it. */
#define core_barrier() __asm__ __volatile__("" ::: "memory")

#endif
