# SPDX-License-Identifier: MIT
# @@worlds: user the module makes no system calls in processes
# A program makes a filter that kills it for nearly all system calls, and lives on when dtrace is killed, or ends: its sites
# make no system call. A program that cannot undo the code at its sites tries it once.
. ../_lib.sh
pipes in

# sandbox HOW SIGNAL DESCRIPTION - start the program, trace it by a description, and end dtrace by a signal when it is ready.
sandbox()
{
	echo "-- $1, $2"
	sandboxed "$1" <"$T/in" >"$T/said" &
	V=$!
	exec 8>"$T/in"
	dtrace -qp $V -n "$3 { @ = count(); }" >/dev/null 2>"$T/err" &
	SESSION=$!
	await grep -q ready "$T/said" || cat "$T/err"
	kill -$2 $SESSION
	wait $SESSION 2>/dev/null
	echo go >&8
	wait $V
	status=$?
	exec 8>&-
	[ $status = 0 ] || echo "status $status"
	grep -v ready "$T/said"
}

for signal in INT KILL; do
	sandbox filter $signal 'sandboxed$target:::hit'
	sandbox child $signal 'sandboxed*:::hit'
	sandbox early $signal 'sandboxed$target:::hit'
done
sandbox counted KILL 'sandboxed$target:::hit'

# One that has told sessions of its probes at its start has nothing to tell at its end.
echo "-- by its start-up object"
trace -Zn 'sandboxed*:::hit { @ = count(); }'
sandboxed filter <"$T/in" >"$T/said" &
V=$!
exec 8>"$T/in"
await grep -q ready "$T/said"
untrace >/dev/null
echo go >&8
wait $V || echo "status $?"
exec 8>&-
grep -v ready "$T/said"
