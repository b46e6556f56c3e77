# SPDX-License-Identifier: MIT
# ^C ends in order: END fires, aggregations are printed, the program goes on as if nothing had
# been. That holds
# for a dtrace in the background of a script too, where the shell has ^C ignored.
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
