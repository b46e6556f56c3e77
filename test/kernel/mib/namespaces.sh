# SPDX-License-Identifier: MIT
# Network namespaces are made and removed while counters are traced; each has its own counts.
# @@timeout: 240
. ../_lib.sh
ifconfig lo up
dtrace -qn 'mib:::UdpOutDatagrams { @sent = sum(arg0); @each[arg2] = count(); }
	END { printa("%@d datagrams\n", @sent); printa("%@d in one\n", @each); }' \
	-c 'sh -c "for i in 0 1 2 3 4 5 6 7 8 9; do talks own udp4 3 10 & talks own udp4 3 10; wait; done; talks udp4 2 10"' >"$T/out"
grep datagrams "$T/out"
grep 'in one' "$T/out" | sort -n | head -n 1
# A namespace's address may be used again by a later one.
awk '/in one/ { n += $1; bad += $1 != 2 && $1 % 3 } END { print n, "in all,", bad + 0, "bad" }' "$T/out"
