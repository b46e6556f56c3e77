/* SPDX-License-Identifier: MIT */
/* The predicate of a clause with if may use variables that its branches assign, and these those that it assigns. */
#pragma D option quiet
BEGIN /j == 0/ { if (pid > 0) { j = 5; } else { k = 1; } printf("j %d\n", j); }
BEGIN /(l = 1)/ { if (l == 1) { m = l + 5; } printf("m %d\n", m); }
tick-1ms /n < 3/ { printf("n %d\n", n++); }
tick-1ms /n == 3/ { exit(0); }
