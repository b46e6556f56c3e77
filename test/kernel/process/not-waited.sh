# SPDX-License-Identifier: MIT
# @@worlds: user the module makes the probes of a process when it starts, whatever dtrace does
# Programs start while dtrace does not run, go on after some seconds, and are traced when it runs again: with probes of drti.o, and
# of the library that makes them at run time.
. ../_lib.sh
pipes one two
trace -Zn 'victim*:::tick /!seen[pid]/ { seen[pid] = 1; printf("victim\n"); }
	app*:::hit /!seen[pid]/ { seen[pid] = 1; printf("app\n"); }'
is_seen() { grep -q "^$1" "$T/trace.out"; }
kill -STOP $TRACE
await grep -q '^State:.T' "/proc/$TRACE/status"
victim tell "$T/one" repeat 1000000000 fire 1 end &
read -r A <"$T/one"
runtime provider app probe f hit 0 enable tell "$T/two" until hit "$T/end" &
read -r B <"$T/two"
kill -CONT $TRACE
await is_seen victim
await is_seen app
kill -KILL "$A"
: >"$T/end"
wait "$B"
untrace | sort
