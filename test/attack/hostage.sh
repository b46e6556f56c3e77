# SPDX-License-Identifier: MIT
# A process that keeps its own address space locked registers probes, or has somebody register them: nobody else waits for it, and who
# waits for it can be killed.
# @@kernels: 6.1 6.12
# @@timeout: 60
. ./_lib.sh

# Not below $T, which others than root cannot enter.
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

# Others register, are listed, fork, and end, meanwhile.
trace -n 'victim$target:::tick { printf("tick %d\n", arg0); }' -c "victim fork fire 1 end join fire 2"
await grep -q "tick 2" "$T/trace.out"
wait $TRACE
output
grep -c hostage /proc/dtrace/processes
su user -c "victim fire 1" && echo "another of the user's ran"

# Who registers for it waits, and can be killed.
$BIN/attack-hostage register "$H" >"$T/register" &
register=$!
await grep -q go "$T/register"
usleep 300000
alive $register && echo "it waits"
dies $register
# So does the thread of its own that registers; not those that wait for the file.
kill -KILL "$H"
leader() { grep -q '^State:.[ZX]' "/proc/$H/task/$H/status"; }
await leader && echo "it has ended"
kill -KILL "$S"
gone() { ! alive "$H" && ! alive $reader; }
await gone && echo "all have"
rmdir "$mount"
