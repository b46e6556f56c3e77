# SPDX-License-Identifier: MIT
# @@worlds: kernel counters of the module, and real-time scheduling
# @@kernels: 6.1
# @@timeout: 90
# More forks are waiting than can be noted, 1,024: the worker does not run while one program uses the only processor. A child
# whose fork was not noted is found at its first hit: each child fires once, none dies, and nothing is left.
# Later kernels give ordinary programs some time whatever the limit says.
# The module counts lost forks until it is unloaded, so it is loaded again.
. ../_lib.sh
limit=/proc/sys/kernel/sched_rt_runtime_us
other=/sys/devices/system/cpu/cpu1/online
before=$(cat $limit)
restore()
{
	echo "$before" >$limit
	echo 1 >$other
}
trap restore EXIT
stat() { rows stats | awk -v name="$1" '$1 == name { print $2 }'; }
rmmod dtrace
insmod /vm/dtrace.ko
pipes up go
echo 0 >$other
horde "$T/up" "$T/go" 1200 &
H=$!
read -r V <"$T/up"
trace -n 'horde*:::born { @ = count(); @most = max(arg0); }
	END { printa("%@d hits\n", @); printa("up to number %@d\n", @most); }'
echo "lost: $(stat fork-overflows)"
echo -1 >$limit
release
wait $H
echo "status $?"
echo "lost: $(stat fork-overflows), children with probes: $(stat forks)"
untrace
echo "sites: $(sites), processes: $(rows processes | grep -c horde)"
rmmod dtrace
insmod /vm/dtrace.ko
