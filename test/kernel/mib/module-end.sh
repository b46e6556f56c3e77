# SPDX-License-Identifier: MIT
# An instruction in the last function of a module looks like one that changes a counter. The kernel would decode what is
# behind the module, where some kernels have no memory: the instruction gets no kprobe then, and pings are counted.
# @@kernels: 6.12 debug
# @@needs: types
. ../_lib.sh
insmod /test/modules/counting.ko
ip link set lo up
dtrace -qn 'mib:::IcmpMsgInType8 { @ = sum(arg0); } END { printa("%@d pings\n", @); }' -c "sh -c 'ping -c 3 -A 127.0.0.1 >/dev/null'" | sed '/^$/d'
for probe in fbt::counting_last:entry kinst::counting_last:0; do
	dtrace -qn "$probe" 2>&1 | tail -n 1 | sed 's/^ *^* *//'
done
rmmod counting
