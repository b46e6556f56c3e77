/* SPDX-License-Identifier: MIT */
/* foreign.h - functions and variables of other DTraces that this one does not have, and why. */
#ifndef DT_FOREIGN_H
#define DT_FOREIGN_H

/*
 * Why a name that another DTrace has does not exist here, as the end of a message: a static string.
 * Returns NULL if no DTrace has a name like that.
 */
const char *foreign_reason(const char *name);

#endif
