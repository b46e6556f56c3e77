# SPDX-License-Identifier: MIT
# A speculation that finds no buffer, or whose buffer is full, is counted and reported.
dtrace -q -x nspec=1 -n '
BEGIN { self->a = speculation(); self->b = speculation(); }
BEGIN /self->b == 0/ { printf("second: none\n"); exit(0); }' 2>&1 | sort
