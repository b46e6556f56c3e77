# SPDX-License-Identifier: MIT
# Names of other systems count the same as the kernel's names; names that Linux does not count are refused with the reason.
# @@long: yes
# @@kernels: 6.1 6.12 debug
# @@needs: types
# @@timeout: 90
. ../_lib.sh
dtrace -qn '
	mib:::tcpHCInSegs, mib:::TcpInSegs, mib:::tcpHCOutSegs, mib:::TcpOutSegs { @[probename] = sum(arg0); }
	END { printa("%s %@d\n", @); }' -c 'talks own tcp4 7 100' >"$T/tcp"
awk '{ n[$1] = $2 } END { print n["tcpHCInSegs"] == n["TcpInSegs"] && n["tcpHCOutSegs"] == n["TcpOutSegs"] && n["TcpInSegs"] ? "the same" : "others" }' "$T/tcp"
for name in tcpOutFastRetrans tcpTimRetransDrop tcpOutWinProbe tcpListenDropQ0 tcpTimKeepaliveProbe tcpOutAckDelayed \
	ipInCksumErrs ipIfStatsInCksumErrs; do
	dtrace -l -n "mib:::$name" | awk 'NR > 1 { print $2, $NF }'
done
dtrace -qn 'mib:::udpHCInDatagrams, mib:::udpHCOutDatagrams { @[probename] = sum(arg0); }
	END { printa("%s %@d\n", @); }' -c 'talks own udp4 5 10' | grep '^udp' | sort
dtrace -qn 'mib:::ipIfStatsHCInReceives, mib:::IpInReceives, mib:::Ip6InReceives, mib:::ipIfStatsHCOutRequests, mib:::IpOutRequests,
	mib:::Ip6OutRequests { @[probename] = sum(arg0); } END { printa("%s %@d\n", @); }' -c "sh -c 'talks own udp4 5 10; talks own udp6 4 10'" >"$T/ip"
awk '{ n[$1] = $2 } END { if (n["ipIfStatsHCInReceives"] == n["IpInReceives"] + n["Ip6InReceives"] &&
	n["ipIfStatsHCOutRequests"] == n["IpOutRequests"] + n["Ip6OutRequests"] && n["IpInReceives"] >= 5 && n["Ip6OutRequests"] >= 4) print "both versions" }' "$T/ip"
dtrace -l -n mib:mach_kernel::TcpInSegs -n mib:genunix::TcpInSegs | awk 'NR > 1 { print $2, $3, $NF }'
for name in mib:::tcpInClosed mib:::tcpOutAck mib:::tcpOutSackRetransSegs mib:::tcpInDataPastWinBytes mib:::rawipInDatagrams \
	mib:::rawipOutErrors mib:::icmpOutFragNeeded mib:::ipsecInFailed mib:::udpOutErrors mib::tcp_v4_rcv:TcpInSegs vminfo:::pgfrec vminfo:::rev; do
	dtrace -n "$name" 2>&1 | tail -n 1
done
