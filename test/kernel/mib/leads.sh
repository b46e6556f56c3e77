# SPDX-License-Identifier: MIT
# The kernel replaces the breakpoints of frequent counters by jumps: those that have an instruction before them that leaves
# space, though the counting one does not.
# @@kernels: 6.1 6.12 debug
# @@needs: types
. ../_lib.sh
[ -e /sys/kernel/debug/kprobes/list ] || mount -t debugfs none /sys/kernel/debug

# jumps FUNCTION N - whether the kernel has N jumps in a function.
jumps()
{
	[ "$(grep -c "$1+.*OPTIMIZED" /sys/kernel/debug/kprobes/list)" = "$2" ]
}
ifconfig lo up
pipes begun
dtrace -o "$T/out" -wqn 'BEGIN { system("echo >%s", "'"$T"'/begun"); }
	vminfo:::pgfault, mib:::UdpOutDatagrams { @[probename] = sum(arg0); } END { printa("%s %@d\n", @); }' &
read -r _ <"$T/begun"
await jumps ' handle_mm_fault' 1 && echo "page faults"
await jumps ' udp_send_skb' 2 && echo "datagrams, and those of UDP-Lite"
before=$(awk '/^Udp:/ { n = $5 } END { print n }' /proc/net/snmp)
talks udp4 5 10 >"$T/talk"
after=$(awk '/^Udp:/ { n = $5 } END { print n }' /proc/net/snmp)
kill -INT $!
wait $!
awk -v more=$((after - before)) '$1 == "UdpOutDatagrams" { print $2 == more ? "are counted" : "counted " $2 ", not " more }
	$1 == "pgfault" { print ($2 > 100 ? "more than 100 faults" : $2) }' "$T/out" | sort
