/* SPDX-License-Identifier: MIT */
/* dof_sample.h - valid DOF of a process's probes, made by hand, and what makes it invalid. */
#ifndef DOF_SAMPLE_H
#define DOF_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

/* Version 1; version 2 with is-enabled sites; version 2 with our own site table. */
#define DOF_SAMPLE_FORMS 3

/*
 * dof_sample_helper - DOF of one provider "torture" with two probes, at addresses in the caller's
 * program text. form: 0 to DOF_SAMPLE_FORMS - 1. site: address of nsites NOPs of 8 bytes each;
 * sema: address of a uint16_t; where: address at which the DOF will be handed over. Returns
 * malloc'ed memory of *size bytes.
 */
void *dof_sample_helper(int form, uint64_t site, unsigned int nsites, uint64_t sema,
			uint64_t where, size_t *size);

/*
 * dof_sample_mutate - change size bytes of dof in a few places: bits, words, section headers. seed
 * is moved on.
 */
void dof_sample_mutate(void *dof, size_t size, uint64_t *seed);

#endif
