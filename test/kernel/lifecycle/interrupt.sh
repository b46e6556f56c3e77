# SPDX-License-Identifier: MIT
# ^C ends tracing in order: END fires, aggregations are printed, and the program goes on as if it had
# not been traced. SIGINT also ends
# a dtrace in the background of a script, where the shell makes it ignored.
. ../_lib.sh
start victim fire 2 text
rm -f "$T/out"
dtrace -q -x switchrate=20ms -n '
BEGIN { printf("@tracing\n"); }
victim*:::tick { @["ticks"] = count(); }
END { printf("the end\n"); }' >"$T/out" &
TRACE=$!
await grep -q @tracing "$T/out"
victim fire 3
kill -INT $TRACE
wait $TRACE
echo "status $?"
grep -v -e @tracing -e '^$' "$T/out"
finish
