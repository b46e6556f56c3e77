# SPDX-License-Identifier: MIT
# A process that keeps its own address space locked registers probes, or another process registers probes for it. No other process
# waits for it, and the one that does can be killed.
# @@kernels: 6.1 6.12
# @@timeout: 60
. ./_lib.sh

# Not below $T, which only root can enter.
chmod 666 /dev/fuse	# as udev does
mount=$(mktemp -d /tmp/hostage.XXXXXX)
chown user "$mount"
su user -c "exec $BIN/attack-hostage hold $mount" >"$T/hold" 2>&1 &
await grep -q ^held "$T/hold"
read -r _ H S <"$T/hold"

# The control: its address space is locked.
cat "/proc/$H/maps" >"$T/maps" 2>&1 &
reader=$!
usleep 300000
alive $reader && echo "it is held"

# Meanwhile other processes register, are listed, fork, and end.
trace -n 'victim$target:::tick { printf("tick %d\n", arg0); }' -c "victim fork fire 1 end join fire 2"
await grep -q "tick 2" "$T/trace.out"
wait $TRACE
output
grep -c hostage /proc/dtrace/processes
su user -c "victim fire 1" && echo "another of the user's ran"

# A process that registers probes for it waits, and can be killed.
$BIN/attack-hostage register "$H" >"$T/register" &
register=$!
await grep -q go "$T/register"
usleep 300000
alive $register && echo "it waits"
dies $register
# The process's own thread that registers can be killed, too; threads that wait for the file cannot.
kill -KILL "$H"
leader() { grep -q '^State:.[ZX]' "/proc/$H/task/$H/status"; }
await leader && echo "it has ended"
kill -KILL "$S"
gone() { ! alive "$H" && ! alive $reader; }
await gone && echo "all have"
rmdir "$mount"
