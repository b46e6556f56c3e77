# SPDX-License-Identifier: MIT
# The probe of a counter counts alone as much as the kernel if one instruction changes it or its neighbour.
# @@kernels: 6.1 6.12 debug
. ../_lib.sh
ifconfig lo up

# counted - print the counter of nstat's name TcpExtTCPDSACKOldSent.
counted()
{
	awk '/^TcpExt/ { if (!n) { n = split($0, name); next } for (i = 1; i <= n; i++) if (name[i] == "TCPDSACKOldSent") print $i }' /proc/net/netstat
}
before=$(counted)
dtrace -qn 'mib:::TcpExtTCPDSACKOldSent { @ = sum(arg0); } END { printa("%@d\n", @); }' -c "talks disorder4 3 100" >"$T/out"
more=$(($(counted) - before)) told=$(sed -n 's/^[0-9]*$/&/p' "$T/out")
[ $more -ge 3 ] && echo "duplicates are told to the sender"
[ "$told" = $more ] && echo "as many as the kernel counts" || echo "the kernel counts $more, the probe $told"
