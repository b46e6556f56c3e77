# SPDX-License-Identifier: MIT
# Datagrams are sent and received as often as the program knows and the kernel counts, in a network namespace too; without a
# socket none is received. Ports, addresses, lengths and sockets are those of the program.
# @@kernels: 6.1 6.12 debug
# @@needs: types
# @@timeout: 180
. ../_lib.sh
cat >"$T/udp.d" <<'EOD'
#pragma D option quiet
udp:::send { @n["send"] = count(); }
udp:::receive { @n["receive"] = count(); }
udp:::send, udp:::receive {
	@all[probename, args[2]->ip_ver, args[2]->ip_saddr, args[2]->ip_daddr, args[2]->ip_plength,
	    args[4]->udp_sport, args[4]->udp_dport, args[4]->udp_length] = count();
	@ends[probename, args[3]->udps_lport, args[1]->cs_addr == args[3]->udps_addr, args[0]->pkt_addr != 0,
	    args[4]->udp_hdr != NULL] = count();
}
END
{
	printa("count %s %@d\n", @n);
	printa("%s IPv%d %s > %s, %d bytes: port %d to %d, %d bytes: %@d\n", @all);
	printa("%s at port %d: %d %d %d: %@d\n", @ends);
}
EOD
for run in "udp4 7 100" "own udp4 5 0" "udp6 6 33" "own udp6 4 1000" "unread4 3" "unread6 2"; do
	echo "-- $run"
	dtrace -s "$T/udp.d" -c "talks $run" >"$T/out"
	grep -v '^$\|^count\|^[TUI][a-z]*[6A-Z]' "$T/out"
	awk '/^count send/ { sent = $3 } /^count receive/ { got = $3 }
		/^Udp6?Out/ { out += $2 } /^Udp6?In/ { in_ += $2 }
		END { print sent + 0 == out ? "sent as counted" : "sent " sent ", counted " out
			print got + 0 == in_ ? "received as counted" : "received " got ", counted " in_ }' "$T/out"
done
