# SPDX-License-Identifier: MIT
# A process that keeps its own address space locked has a file mapped, and root traces a function in that file. Uprobes then waits
# for the process with a lock that every fork needs, whether dtrace or perf traces: docs/threat-model.md describes this
# ("What is not defended"). The command can be killed, and forks go on when the process has ended.
# @@long: yes
# @@kernels: 6.1 6.12
# @@timeout: 120
. ./_lib.sh
tracing=/sys/kernel/tracing
[ -d $tracing/events ] || mount -t tracefs none $tracing || exit 1
start victim sum 2
trace -n "pid$V:victim:sum_eight:entry"
at=$(awk '/victim$/ { print $5 }' /proc/dtrace/fasttrap)
untrace
echo "p:others/hit $BIN/victim:$at" >$tracing/uprobe_events

# meanwhile COMMAND - run a command while another user's process has the program mapped and its address space locked.
meanwhile()
{
	mount=$(mktemp -d /tmp/hostage.XXXXXX)	# not below $T, which others than root cannot enter
	chown user "$mount"
	su user -c "exec $BIN/attack-hostage hold $mount $BIN/victim" >"$T/hold" 2>&1 &
	await grep -q ^held "$T/hold"
	read -r _ H S <"$T/hold"
	$BIN/attack-hostage forks "$S" "$@"
	kill -KILL "$H"
	gone() { ! alive "$H"; }
	await gone && echo "it has ended"
	rmdir "$mount"
}
chmod 666 /dev/fuse	# as udev does
echo "-- perf"
meanwhile sh -c "echo 1 >$tracing/events/others/hit/enable"
echo 0 >$tracing/events/others/hit/enable
echo >$tracing/uprobe_events
echo "-- dtrace"
meanwhile dtrace -q -p "$V" -n "pid$V:victim:sum_eight:entry { }"
echo "-- nothing is left"
no_sites() { [ "$(sites)" = 0 ]; }
await no_sites && echo "no sites"
finish
