# SPDX-License-Identifier: MIT
# With -c and -p tracing ends when the program does, however it ends.
. ../_lib.sh
clauses='victim$target:::tick { printf("tick %d\n", arg0); } END { printf("end\n"); }'
dtrace -c 'victim fire 2 die' -n "$clauses" 2>&1 >"$T/out" | grep -v matched >&2
grep -o "tick [0-9][0-9]*\|end" "$T/out"
start victim fire 1 exit 3
trace -p "$V" -n "$clauses"
finish
echo "victim: status $?"
wait $TRACE
output
