# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# @@timeout: 120
# The first SIGINT or SIGTERM stops tracing: END runs, all output is complete. So does a hangup,
# unless it was ignored; a second signal ends dtrace at once.
. ../_lib.sh

for sig in INT TERM HUP; do
	trace -n 'tick-10ms { @["kept"] = count(); printf("@tracing: a tick\n"); } END { printf("end\n"); @x = sum(3); }'
	await grep -q 'a tick' "$T/trace.out"
	kill -$sig $TRACE
	wait $TRACE
	echo "$sig: status $?"
	grep -v @tracing "$T/trace.out" | sed 's/^\(  kept\) .*/\1/'
done

# exit() in END gives the status.
trace -n 'END { exit(7); }'
kill -INT $TRACE
wait $TRACE
echo "status $?"

# While a command of system() runs, dtrace cannot stop tracing: the second signal ends dtrace.
session second -w -n "END { system(\"echo up >$T/command; sleep 20\"); }"
kill -INT $SESSION
await grep -q up "$T/command"
kill -TERM $SESSION
begin=$(date +%s)
wait $SESSION
echo "status $?"
[ $(($(date +%s) - begin)) -lt 10 ] && echo "at once"

# With nohup, dtrace ignores a hangup: it goes on until another signal.
(
	trap '' HUP
	exec dtrace -q -n 'BEGIN { printf("up\n"); } tick-10ms { printf("tick %d\n", n++); } END { printf("end\n"); }' \
		-x switchrate=20ms >"$T/nohup.out" 2>&1
) &
await grep -q up "$T/nohup.out"
kill -HUP $!
seen=$(grep -c tick "$T/nohup.out")
await grep -q "tick $((seen + 20))" "$T/nohup.out"
grep end "$T/nohup.out"
kill -TERM $!
wait $!
echo "status $?"
sed '/^$/d; s/^tick .*/alive/' "$T/nohup.out" | uniq
