# SPDX-License-Identifier: MIT
# Segments are sent and received as often as the kernel counts, those with data as the program knows, in a network namespace
# too; connections are requested, established and refused at both ends.
# @@kernels: 6.1 6.12 debug
# @@needs: types
# @@timeout: 180
. ../_lib.sh
cat >"$T/tcp.d" <<'EOD'
#pragma D option quiet
tcp:::send, tcp:::receive { @n[probename] = count(); }
tcp:::send, tcp:::receive /args[2]->ip_plength > args[4]->tcp_offset/ {
	@data[probename, args[2]->ip_ver, args[2]->ip_plength - args[4]->tcp_offset, args[2]->ip_saddr, args[2]->ip_daddr,
	    tcp_state_string[args[3]->tcps_state]] = count();
}
tcp:::send, tcp:::receive /args[4]->tcp_flags & (TH_SYN | TH_RST)/ {
	@flags[probename, args[4]->tcp_flags & TH_SYN ? "SYN" : "", args[4]->tcp_flags & TH_RST ? "RST" : "",
	    args[4]->tcp_flags & TH_ACK ? "ACK" : "", tcp_state_string[args[3]->tcps_state],
	    args[3]->tcps_state == TCP_STATE_LISTEN ? "" : args[3]->tcps_raddr] = count();
}
tcp:::send, tcp:::receive /args[3]->tcps_state != TCP_STATE_LISTEN &&
    (probename == "send" ? args[4]->tcp_sport != args[3]->tcps_lport || args[4]->tcp_dport != args[3]->tcps_rport :
    args[4]->tcp_dport != args[3]->tcps_lport || args[4]->tcp_sport != args[3]->tcps_rport)/ {
	printf("%s: port %d to %d, but %d to %d\n", probename, args[4]->tcp_sport, args[4]->tcp_dport, args[3]->tcps_lport, args[3]->tcps_rport);
}
tcp:::connect-*, tcp:::accept-* {
	@ends[probename, args[4]->tcp_sport == 7003 || args[4]->tcp_sport == 7098 ? "from" : "to",
	    args[4]->tcp_sport == 7003 || args[4]->tcp_sport == 7098 ? args[4]->tcp_sport : args[4]->tcp_dport,
	    args[2]->ip_saddr, tcp_state_string[args[3]->tcps_state], args[3]->tcps_local] = count();
}
END
{
	printa("count %s %@d\n", @n);
	printa("%s IPv%d %d bytes %s > %s, %s: %@d\n", @data);
	printa("%s %s%s%s, %s %s: %@d\n", @flags);
	printa("%s %s port %d, %s, %s, local %d: %@d\n", @ends);
}
EOD
for run in "tcp4 7 100" "own tcp4 5 10" "tcp6 6 33" "own tcp6 4 1000" "refused4 3" "own refused6 2"; do
	echo "-- $run"
	dtrace -s "$T/tcp.d" -c "talks $run" >"$T/out"
	grep -v '^$\|^count\|^[TUI][a-z]*[6A-Z]' "$T/out"
	awk '/^count send/ { sent = $3 } /^count receive/ { got = $3 } /^TcpOutSegs/ { out = $2 } /^TcpInSegs/ { in_ = $2 }
		END { print sent == out && out ? "sent as counted" : "sent " sent ", counted " out
			print got == in_ && in_ ? "received as counted" : "received " got ", counted " in_ }' "$T/out"
done
