/* SPDX-License-Identifier: MIT */
/* Speculative records are printed when committed, and not when discarded. */
#pragma D option quiet
#pragma D option nspec=2
BEGIN { self->keep = speculation(); self->drop = speculation(); }
BEGIN { speculate(self->keep); printf("kept\n"); }
BEGIN { speculate(self->drop); printf("dropped\n"); }
BEGIN { commit(self->keep); discard(self->drop); }
tick-100ms { exit(0); }
END { printf("end\n"); }
