/* SPDX-License-Identifier: MIT */
/* piece.h - memory in pieces that are freed together. (piece.c) */
#ifndef DT_PIECE_H
#define DT_PIECE_H

#include <stddef.h>

struct dt_piece;
/*
 * dt_piece_alloc - zeroed memory, added to the list *ctx; NULL: there is none. dt_pieces_free - free
 * a list.
 */
void *dt_piece_alloc(void *ctx, size_t size);
void dt_pieces_free(struct dt_piece *pieces);

#endif
