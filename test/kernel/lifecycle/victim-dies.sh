# SPDX-License-Identifier: MIT
# With -c and -p tracing ends when the program does, however that happens.
. ../_lib.sh
clauses='victim$target:::tick { printf("tick %d\n", arg0); } END { printf("end\n"); }'
dtrace -q -c 'victim fire 2 die' -n "$clauses"
start victim fire 1 exit 3
trace -p "$V" -n "$clauses"
finish
echo "victim: status $?"
wait $TRACE
output
