/* SPDX-License-Identifier: MIT */
/* piece.c - memory in pieces that are freed together: what dofbuild builds with. */
#include <stdlib.h>
#include "piece.h"

struct dt_piece {
	struct dt_piece *next;
	char data[] __attribute__((aligned(16)));
};

void *dt_piece_alloc(void *ctx, size_t size)
{
	struct dt_piece **pieces = ctx, *piece = calloc(1, sizeof(*piece) + size);

	if (piece == NULL)
		return NULL;
	piece->next = *pieces;
	*pieces = piece;
	return piece->data;
}

void dt_pieces_free(struct dt_piece *piece)
{
	while (piece != NULL) {
		struct dt_piece *next = piece->next;

		free(piece);
		piece = next;
	}
}
