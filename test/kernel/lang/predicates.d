/* SPDX-License-Identifier: MIT */
/* Clauses run in the order of the script, each if its predicate is true at that time. */
#pragma D option quiet
BEGIN { n = 1; }
BEGIN /n == 1/ { printf("first\n"); n = 2; }
BEGIN /n == 1/ { printf("not this\n"); }
BEGIN /n == 2 && "abc" < "abd" && "x" == "x"/ { printf("second\n"); }
BEGIN /0/ { printf("never\n"); }
BEGIN /!0/ { exit(0); }
END /n == 2/ { printf("last\n"); }
