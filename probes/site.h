/* SPDX-License-Identifier: MIT */
/*
 * site.h - the code of a site that is made at run time: a function without effect, with the
 * instructions of a site (dtrace/site.h) in it. site_MACHINE.c has it for each machine.
 */
#ifndef PROBES_SITE_H
#define PROBES_SITE_H

#include <stdint.h>
#include <dtrace/dof.h>

#define SITE_SIZE 16 /* bytes of the code */

extern const uint8_t site_code[SITE_SIZE];
extern const uint8_t site_trap; /* where in it the breakpoint goes */
extern const uint8_t site_args; /* the register that has the address of the arguments there */

#endif
