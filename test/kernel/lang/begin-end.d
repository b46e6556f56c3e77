/* SPDX-License-Identifier: MIT */
/* BEGIN fires first, END last, whatever the order in the script. */
#pragma D option quiet
END { printf("end\n"); }
tick-10ms { printf("tick\n"); exit(0); }
BEGIN { printf("begin\n"); }
