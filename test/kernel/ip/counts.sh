# SPDX-License-Identifier: MIT
# Packets are sent and received as often as the kernel counts, by protocol as the program knows, in a network namespace too.
# @@kernels: 6.1 6.12 debug
# @@needs: types
# @@timeout: 180
. ../_lib.sh
cat >"$T/ip.d" <<'EOD'
#pragma D option quiet
ip:::send, ip:::receive { @n[probename] = count(); }
ip:::send, ip:::receive /args[2]->ip_ver == 4 && args[4]->ipv4_protocol != IPPROTO_TCP/ {
	@four[probename, args[4]->ipv4_protostr, args[2]->ip_saddr, args[4]->ipv4_daddr, args[2]->ip_plength, args[4]->ipv4_length,
	    args[4]->ipv4_ttl, args[3]->if_name, args[3]->if_local, args[5]->ipv6_hdr == NULL] = count();
}
ip:::send, ip:::receive /args[2]->ip_ver == 6 && args[5]->ipv6_nexthdr != IPPROTO_TCP/ {
	@six[probename, args[5]->ipv6_nextstr, args[2]->ip_saddr, args[5]->ipv6_daddr, args[2]->ip_plength, args[5]->ipv6_plen,
	    args[5]->ipv6_hlim, args[3]->if_name, args[3]->if_local, args[4]->ipv4_hdr == NULL] = count();
}
END
{
	printa("count %s %@d\n", @n);
	printa("%s %s %s > %s, %d of %d bytes, ttl %d, %s %d %d: %@d\n", @four);
	printa("%s %s %s > %s, %d of %d bytes, hop limit %d, %s %d %d: %@d\n", @six);
}
EOD
ip link set lo mtu 1500
for run in "udp4 7 100" "own udp6 5 10" "ping4 3" "tcp4 6 33" "own tcp6 4 1000" "pieces4 4000"; do
	echo "-- $run"
	dtrace -s "$T/ip.d" -c "talks $run" >"$T/out"
	grep -v '^$\|^count\|^[TUI][a-z]*[6A-Z]' "$T/out"
	awk '/^count send/ { sent = $3 } /^count receive/ { got = $3 } /^Ip6?OutRequests/ { out += $2 } /^Ip6?InReceives/ { in_ += $2 }
		END { print sent == out && out ? "sent as counted" : "sent " sent ", counted " out
			print got == in_ && in_ ? "received as counted" : "received " got ", counted " in_ }' "$T/out"
done
ip link set lo mtu 65536
for probe in drop-in drop-out; do
	dtrace -n "ip:::$probe" 2>&1 | tail -n 1
done
