/* SPDX-License-Identifier: MIT */
/*
 * kept.h - DOF of registrations, kept in memory where sessions without the module find it that
 * begin later (<dtrace/join.h>). The caller makes one call at a time. (kept.c)
 */
#ifndef PROBES_KEPT_H
#define PROBES_KEPT_H

#include <errno.h>
#include <stddef.h>

struct kept;

#if defined __x86_64__ && defined __LP64__

/* Make memory for DOF of size bytes. Return NULL and errno of memory_file(), mmap or malloc. */
struct kept *kept_create(size_t size);
/* Return the address of the DOF: zeros, aligned to 8. */
void *kept_dof(const struct kept *kept);
/*
 * Let sessions find the DOF, until kept_end().
 *	instance, number	by which they tell the registration from others
 *	module			of its probes
 */
void kept_show(struct kept *kept, const void *instance, int number, const char *module);
/* Free memory that was not shown, or NULL. */
void kept_free(struct kept *kept);
/* Free the memory of a registration, if it has any. */
void kept_end(int number);

#else /* there are no such sessions for programs of this machine */

static inline struct kept *kept_create(size_t size)
{
	(void)size;
	errno = ENOENT;
	return NULL;
}

static inline void *kept_dof(const struct kept *kept)
{
	(void)kept;
	return NULL;
}

static inline void kept_show(struct kept *kept, const void *instance, int number,
			     const char *module)
{
	(void)kept, (void)instance, (void)number, (void)module;
}

static inline void kept_free(struct kept *kept)
{
	(void)kept;
}

static inline void kept_end(int number)
{
	(void)number;
}

#endif

#endif
