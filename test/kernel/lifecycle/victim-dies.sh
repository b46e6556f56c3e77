# SPDX-License-Identifier: MIT
# With -c and -p tracing ends when the program does, however that happens.
. ../_lib.sh
dtrace -q -c 'victim fire 2 die' -n 'victim$target:::tick { printf("tick %d\n", arg0); } END { printf("end\n"); }'
start victim fire 1 exit 3
dtrace -q -x switchrate=20ms -p "$V" -n 'BEGIN { printf("@tracing\n"); } victim$target:::tick { printf("tick %d\n", arg0); } END { printf("end\n"); }' >"$T/out" &
TRACE=$!
await grep -q @tracing "$T/out"
finish
echo "victim: status $?"
wait $TRACE
grep -v -e @tracing -e '^$' "$T/out"
