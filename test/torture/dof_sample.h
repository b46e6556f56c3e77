/* SPDX-License-Identifier: MIT */
/* dof_sample.h - make valid DOF of a process's probes by hand, and damage it. */
#ifndef DOF_SAMPLE_H
#define DOF_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

/* Version 1; version 2 with is-enabled sites; version 2 with this project's site table. */
#define DOF_SAMPLE_FORMS 3

/*
 * dof_sample_helper - return DOF of one provider "torture" with two probes, at addresses in the
 * caller's program text. form: 0 to DOF_SAMPLE_FORMS - 1. site: address of nsites NOPs of 8 bytes
 * each; sema: address of a uint16_t; where: address at which the caller will register the DOF. The
 * DOF has *size bytes; the caller frees it by free().
 */
void *dof_sample_helper(int form, uint64_t site, unsigned int nsites, uint64_t sema, uint64_t where,
			size_t *size);

/*
 * dof_sample_mutate - change a few bits, words or section headers in the size bytes of dof. seed
 * advances.
 */
void dof_sample_mutate(void *dof, size_t size, uint64_t *seed);

#endif
