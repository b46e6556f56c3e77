# SPDX-License-Identifier: MIT
# Several -c and -p at once: tracing ends when the last of the processes has ended.
. ../_lib.sh
start victim fire 1
dtrace -q -c 'victim fire 2' -p "$V" -n 'BEGIN { printf("@tracing\n"); } victim*:::tick { @ = count(); } END { printa("%@d\n", @); }' -x switchrate=20ms >"$T/out" &
TRACE=$!
await grep -q @tracing "$T/out"
await eval '! rows processes | grep victim | grep -qv "\b$V\b"'
finish
wait $TRACE
grep -v -e @tracing -e '^$' "$T/out"
