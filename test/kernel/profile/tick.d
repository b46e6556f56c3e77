/* SPDX-License-Identifier: MIT */
/* tick-N fires on one CPU, in order, until exit(). */
#pragma D option quiet
int n;
profile:::tick-10ms { printf("%d\n", ++n); }
profile:::tick-10ms /n == 3/ { exit(0); }
