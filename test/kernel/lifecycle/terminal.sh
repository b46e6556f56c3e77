# SPDX-License-Identifier: MIT
# @@long: ci
# @@kernels: 6.1 6.12
# At a terminal: ^C ends dtrace and its -c command in order; ^Z stops dtrace, and nothing is lost; ^\ ends
# it at once. When the terminal is closed, END still fires, its commands survive the second hangup,
# which comes from the shell, and nothing is left.
. ../_lib.sh
pipes typed

# at ARG... - start dtrace at a terminal, with descriptor 3 as its keyboard, and wait until it traces.
at()
{
	rm -f "$T/out"
	terminal "$T/typed" dtrace -qw -x switchrate=20ms "$@" >"$T/out" 2>&1 &
	TERMINAL=$!
	exec 3>"$T/typed"
	await grep -q @tracing "$T/out"
}

# ended NAME - wait, and print the output without the terminal's echo of the key. Not for a subshell.
ended()
{
	wait $TERMINAL
	echo "$1:"
	sed -e 's/\r//; s/^\^[CZ\\]//' "$T/out" | grep -v -e @tracing -e '^$'
	rows sessions
	exec 3>&-
}

at -n 'BEGIN { printf("@tracing\n"); } END { printf("end\n"); }' -c 'tail -f /dev/null'
printf '\003' >&3
ended interrupt
await eval '! pidof tail'

at -n 'BEGIN { printf("@tracing\n"); } tick-10ms { n++; } tick-10ms /n == 100/ { printf("%d\n", n); exit(3); }'
printf '\032' >&3
await eval 'grep -q "^State:.T" /proc/$(pidof dtrace)/status'
usleep 500000
kill -CONT "$(pidof dtrace)"
ended stop

at -n 'BEGIN { printf("@tracing\n"); } END { printf("end\n"); }'
printf '\034' >&3
ended quit

at -n 'BEGIN { printf("@tracing\n"); } tick-10ms { printf("tick\n"); }
	END { printf("end\n"); system("sleep 1; echo end of %d >%s", 3, $$1); }' -c 'tail -f /dev/null' "$T/end"
exec 3>&-
ended hangup >"$T/hangup"
grep -v tick "$T/hangup"
cat "$T/end"
await eval '! pidof tail'

at -n 'BEGIN { printf("@tracing\n"); } tick-1s { exit(0); }
	END { system("echo >%s; sleep 2; echo end of %d >%s", $$1, 4, $$1); }' -q "$T/end4"
await eval '[ -s "$T/end4" ]'
exec 3>&-
ended 'hangup in END' >"$T/hangup"
cat "$T/end4"
! pidof tail dtrace
