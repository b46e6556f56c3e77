/* SPDX-License-Identifier: MIT */
/* place.h - the places of arguments as text, in the way of SystemTap's notes. */
#ifndef DT_USDT_PLACE_H
#define DT_USDT_PLACE_H

#include <dtrace/dof.h>
#include "bytes.h"

/*
 * place_print - append the place, after a blank if there is text already. An absolute place is its
 * address. model: 32 or 64.
 */
void place_print(struct bytes *text, const dof_argloc_t *loc, int model);

#endif
