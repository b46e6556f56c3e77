# SPDX-License-Identifier: MIT
# @@worlds: kernel threads of the kernel, and namespaces of processes
# @@kernels: 6.1 6.12
# -p with processes of all kinds: each is traced, or dtrace says why not.
# @@timeout: 90
. ../_lib.sh

# grab NAME PID - trace a process, and print the messages of dtrace.
grab()
{
	echo "-- $1"
	dtrace -q -p "$2" -n 'BEGIN { printf("$target is %s\n", $target == 0 ? "none" : "it"); exit(0); }' \
		-n 'victim$target:::tick' -Z 2>&1 | sed -e "s/ $2\b/ PID/" -e /^$/d
}

grab 'a thread of the kernel' 2
grab itself $$
grab init 1
grab nobody 999999
grab nonsense x

sh -c "victim exit 0 & echo \$! >$T/zombie; exec victim forever" &
PARENT=$!
await grep -q . "$T/zombie"
read -r ZOMBIE <"$T/zombie"
await grep -q '^State:.Z' "/proc/$ZOMBIE/status"
grab 'a zombie' "$ZOMBIE"
kill -9 $PARENT
wait $PARENT 2>/dev/null

start victim thread fire 1 end thread fire 1 end join fire 1
echo "-- stopped"
kill -STOP "$V"
await grep -q '^State:.T' "/proc/$V/status"
trace -p "$V" -n 'victim$target:::tick { @ = count(); } END { printa("%@d\n", @); }'
grep -q '^State:.T' "/proc/$V/status" && echo "it stays stopped"
kill -CONT "$V"
await grep -q '^State:.S' "/proc/$V/status"	# the shell is told of it first, which would interrupt release
finish
wait $TRACE
output

echo "-- two that end one after the other"
pipes first
victim wait "$T/first" fire 1 &
FIRST=$!
start victim fire 2
trace -p $FIRST -p "$V" -n 'victim*:::tick { printf("%d\n", pid == $target); }'
echo go >"$T/first"
wait $FIRST
usleep 300000
kill -0 $TRACE && echo "it traces the other"
finish
wait $TRACE
output

echo "-- one with 300 threads"
pipes mid on
n=0
while [ $n -lt 300 ]; do
	threads="$threads thread fire 1 wait $T/on end"
	n=$((n + 1))
done
start victim $threads join
trace -p "$V" -n 'victim$target:::tick { printf("tick\n"); }'
release
await eval "[ \$(grep -c tick $T/trace.out) = 300 ]"
kill -9 "$V"
wait "$V" 2>/dev/null
wait $TRACE
output | grep -c "^tick$"

echo "-- in a pid namespace of its own"
unshare --pid --fork victim tell "$T/up" wait "$T/go" fire 3 &
U=$!
read -r INNER <"$T/up"
echo "it calls itself $INNER"
for N in /proc/[0-9]*; do
	grep -q '^NSpid:.*[0-9][[:space:]]1$' "$N/status" 2>/dev/null && V=${N#/proc/}
done
trace -p "$V" -n 'victim$target:::tick { @[pid == $target] = count(); } END { printa("%d %@d\n", @); }'
release
wait $U
wait $TRACE
output
