# SPDX-License-Identifier: MIT
# @@worlds: user the module stops no thread by ptrace
# A program is killed while dtrace holds it at its first instruction: its parent learns of the end at once, though dtrace goes
# on. The moments differ by how far dtrace has come with the program.
# @@timeout: 60
. ../_lib.sh
pipes in never

# lines N - whether the parent has written N lines.
lines() { [ "$(wc -l <"$T/out")" -ge "$1" ]; }

# held PID - whether a process is stopped by ptrace in the program that it has executed.
held()
{
	grep -q '^State:.t' "/proc/$1/status" && [ "$(readlink "/proc/$1/exe")" != "$SHELL_FILE" ]
}

# over PID - whether a process executes its program, and nothing holds it.
over()
{
	grep -q '^TracerPid:.0' "/proc/$1/status" && [ "$(readlink "/proc/$1/exe")" != "$SHELL_FILE" ]
}

cp /bin/sh "$T/sh"
SHELL_FILE=$(readlink -f "$T/sh")
"$T/sh" -c 'while read -r line && [ "$line" = go ]; do victim wait "$1" & echo $!; wait $!; echo ended; done' sh "$T/never" \
	<"$T/in" >"$T/out" 2>"$T/killed" &
V=$!
exec 3>"$T/in"
trace -x followfork -p $V -n 'pid$target:victim:sum_eight:entry'
caught=0
for moment in 0 1 2 3 4 5 6 7; do
	kill -STOP $TRACE
	echo go >&3
	await lines $((2 * moment + 1))
	read -r child <<-END
		$(tail -n 1 "$T/out")
	END
	until held $child || over $child; do
		kill -CONT $TRACE
		kill -STOP $TRACE
	done
	i=0
	while [ $i -lt $moment ] && held $child; do
		kill -CONT $TRACE
		kill -STOP $TRACE
		i=$((i + 1))
	done
	held $child && caught=$((caught + 1))
	kill -KILL $child
	kill -CONT $TRACE
	await lines $((2 * moment + 2)) || break
done
[ $caught -gt 0 ] && echo "some of them were held"
echo end >&3
wait $V
wait $TRACE
output
grep -c ended "$T/out"
