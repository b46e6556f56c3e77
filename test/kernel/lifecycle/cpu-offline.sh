# SPDX-License-Identifier: MIT
# A CPU goes offline and online again while it is traced; sessions that began without it work, too.
# The tick of a session for that CPU only fires again once it is online. A tick that fires there for all
# sessions goes on elsewhere.
. ../_lib.sh
online=/sys/devices/system/cpu/cpu1/online
[ -w $online ] || { echo "this kernel cannot take a CPU offline"; exit 77; }
trace -n 'profile:::profile-50 { @[cpu] = count(); } END { printa("cpu %d\n", @); }'
session bound -x cpu=1 -n 'tick-20ms { printf("tick on %d\n", cpu); }'
BOUND=$SESSION
await grep -q tick "$T/bound.out"
UNDER="taskset 2" session moves -n 'tick-21ms { printf("tick on %d\n", cpu); }'
MOVES=$SESSION
await grep -q "tick on 1" "$T/moves.out"
usleep 200000
echo 0 >$online
await grep -q "tick on 0" "$T/moves.out" && echo "a tick has moved"
kill -TERM $MOVES
wait $MOVES
dtrace -q -n '
profile:::profile-100 { @[cpu] = count(); n++; }
tick-200ms /n > 10/ { exit(0); }
END { printa("without: cpu %d\n", @); }'
ticks=$(grep -c tick "$T/bound.out")
echo 1 >$online
await eval '[ $(grep -c tick "$T/bound.out") -gt $((ticks + 3)) ]'
kill -TERM $BOUND
wait $BOUND
grep tick "$T/bound.out" | sort -u
dtrace -q -n '
profile:::profile-100 { @[cpu] = count(); n[cpu]++; }
tick-200ms /n[0] && n[1]/ { exit(0); }
END { printa("again: cpu %d\n", @); }' | sort
untrace >"$T/all"
sort "$T/all"
