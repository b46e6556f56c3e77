# SPDX-License-Identifier: MIT
# @@worlds: user the module stops programs by itself
# -W makes a program wait in its start-up object. It goes on by itself if dtrace ends, or does not answer for too long.
# Other programs that start go on at once.
# @@timeout: 120
. ../_lib.sh

# waiting ARG... - start dtrace, and return when it waits for the last program; set $W.
waiting()
{
	rm -f "$T/err"
	dtrace "$@" -n 'victim*:::tick { @[pid == $target] = count(); }' >"$T/out" 2>"$T/err" &
	W=$!
	await grep -q 'start-up object' "$T/err"
}

# taken PID - whether dtrace has taken a program: two descriptors of dtrace or more are pidfds of it.
taken() { [ "$(cat "/proc/$W/fdinfo/"* | grep -c "^Pid:.$1\$")" -ge 2 ]; }

# waits PID - whether a program waits at a socket of its start-up object, before its main.
waits() { ls -l "/proc/$1/fd" | grep -q socket: && [ ! -s "$T/said" ]; }

# begin - start a program that prints "main" in its main, and return when it waits; set $H.
begin()
{
	rm -f "$T/said"
	victim print main fire 3 >"$T/said" &
	H=$!
	await taken $H
	waits $H && echo "the program waits"
}

# ended - wait for the program, and print its status and output.
ended()
{
	wait $H
	echo "the program ends with $?, and says: $(cat "$T/said")"
}

result()
{
	wait $W 2>/dev/null
	echo "dtrace ends with $?"
	sed -e /^$/d -e 's/pid [0-9]*/pid PID/' "$T/out" "$T/err"
}

for signal in TERM KILL; do
	echo "-- SIG$signal ends dtrace while a program waits"
	waiting -W victim -W never
	begin
	kill -$signal $W
	ended
	result
done

echo "-- the program is killed while it waits"
waiting -W victim -W victim-static
begin
kill -9 $H
wait $H 2>/dev/null
victim-static fire 2
result

echo "-- dtrace is stopped for longer than the program waits"
waiting -W victim -W victim-static
begin
kill -STOP $W
ended
kill -CONT $W
victim-static fire 2
result

echo "-- dtrace works for longer than a program waits for a word"
waiting -W victim -W victim-static
begin
usleep 7000000
waits $H && echo "it still waits"
victim-static fire 2
ended
result

echo "-- others go on at once"
waiting -W victim
victim-static print other fire 2
victim fire 1
result
