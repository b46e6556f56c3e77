# SPDX-License-Identifier: MIT
# One session for all processes, one for a single one: each gets what it asked for, the others' text is untouched.
. ../_lib.sh
start victim fire 2
trace -p "$V" -n 'victim$target:::tick { @ = count(); } END { printa("one: %@d\n", @); }'
victim fire 4 text
dtrace -q -x switchrate=20ms -n 'BEGIN { printf("@tracing\n"); } victim*:::tick { @ = count(); } END { printa("all: %@d\n", @); }' >"$T/all" &
ALL=$!
await grep -q @tracing "$T/all"
victim fire 4 text
finish
wait $TRACE
output
kill -TERM $ALL
wait $ALL
grep all: "$T/all"
