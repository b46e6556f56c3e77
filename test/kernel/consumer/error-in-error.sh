# SPDX-License-Identifier: MIT
# A fault within an ERROR clause is counted, and reported when dtrace reads the status next.
dtrace -q -x statusrate=10ms -n '
BEGIN { trace(*(int *)16); }
ERROR { printf("error of %d\n", arg1); trace(*(int *)32); }
tick-200ms { exit(0); }' 2>&1 | sort
