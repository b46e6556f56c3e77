# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# Destructive actions on a process: it reads what was written, and nothing else is written; all its
# threads stop and go on; signals reach it; chill() does not keep a CPU for long.
# @@timeout: 120
. ../_lib.sh

# shown - print the output of dtrace without IDs and addresses.
shown()
{
	untrace >"$T/shown"
	sed 's/0x[0-9a-fPID]*/ADDRESS/; s/ID [0-9PID]*/ID N/g' "$T/shown"
}

# change CLAUSE - trace a program that prints a text which the clause may change.
change()
{
	start victim show 1
	trace -w -n "victim$V:::pair { $1 }"
	finish
	shown
}

echo "-- copyoutstr"
change 'copyoutstr("changed", arg1, 32);'
echo "-- copyoutstr, no more than fits"
change 'copyoutstr("changed", arg1, 4);'
echo "-- copyout"
change 'copyout(copyin(arg1 + 5, 1), arg1, 1);'
echo "-- to the program's text, to nothing, and to the kernel"
for address in 'uregs[R_PC]' 8 0xffffffff81000000; do
	change "copyout(copyin(arg1, 4), $address, 4);"
done

echo "-- stop() stops all threads"
start victim thread fire 1 repeat 3 print other end end join fire 1 print done
trace -w -n 'victim*:::tick { stop(); system("echo stopped; kill -CONT %d", pid); }'
finish
untrace
echo "-- and a process that dtrace has stopped is stopped when dtrace is killed"
start victim fire 1 print continued
trace -w -n 'victim*:::tick { stop(); }'
release
await grep -q '^State:.T' "/proc/$V/status"
kill -9 $TRACE
wait $TRACE 2>/dev/null
grep -o '^State:.T' "/proc/$V/status"
kill -CONT "$V"
wait "$V"

echo "-- raise()"
start victim fire 2
trace -w -n 'victim*:::tick { printf("%d\n", arg0); }' \
	-n 'victim*:::tick { raise(arg0 == 1 ? 999 : 15); }'
finish 2>/dev/null
echo "status $?"
shown

echo "-- chill()"
start victim fire 2
trace -w -n 'self uint64_t when;
	victim*:::tick /arg0 == 2/ { printf("%d\n", timestamp - self->when >= 100000000); }
	victim*:::tick { self->when = timestamp; chill(100000000); }'
finish
shown
start victim fire 1
trace -w -n 'victim*:::tick { chill(600000000); }'
finish
shown
