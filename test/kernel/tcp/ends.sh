# SPDX-License-Identifier: MIT
# Connections go through the states of a half close with data, of a reset, and of ends that close at once. The data of a connection
# is what the kernel tells its program.
# @@kernels: 6.1 6.12 debug
# @@needs: types
. ../_lib.sh
dtrace -qn 'tcp:::state-change /args[3]->tcps_state == TCP_STATE_SYN_SENT/ { connection++; }
	tcp:::state-change {
		@[connection, args[3]->tcps_lport == 7003 ? "server" : "client", n++,
		    tcp_state_string[args[5]->tcps_state], tcp_state_string[args[3]->tcps_state]] = count(); }
	tcp:::receive /args[2]->ip_plength > args[4]->tcp_offset/ {
		@bytes[connection, tcp_state_string[args[3]->tcps_state]] = sum(args[2]->ip_plength - args[4]->tcp_offset); }
	END { printa("%d %s %d %s > %s %@d\n", @); printa("%d received in %s: %@d bytes\n", @bytes); }' -c "talks own ends4 3 100" |
	awk '/^[0-9]/ && / > / { print $1, $2, $3, $4, $5, $6; next } /received in/' | sort -k 1,2 -k 3n | sed 's/\([a-z]\) [0-9]* /\1 /'
echo "-- what the kernel tells"
dtrace -qn 'tcp:::send /args[4]->tcp_dport == 7003 && args[2]->ip_plength == args[4]->tcp_offset + 1/ {
	printf("ours sequence %u %u\n", args[3]->tcps_snxt, args[3]->tcps_rnxt);
	printf("ours segment %u, again after %u ms\n", args[3]->tcps_mss, args[3]->tcps_rto);
	printf("ours window %u, scales %u %u\n", args[3]->tcps_swnd, args[3]->tcps_snd_ws, args[3]->tcps_rcv_ws);
	printf("ours congestion %u %u\n", args[3]->tcps_cwnd / args[3]->tcps_mss, args[3]->tcps_cwnd_ssthresh);
	printf("%s, %s\n", args[3]->tcps_suna == args[3]->tcps_snxt && args[4]->tcp_seq == args[3]->tcps_snxt ? "the segment is next" : "another is next",
	    args[4]->tcp_ack == args[3]->tcps_rnxt && args[4]->tcp_window == args[3]->tcps_rwnd >> args[3]->tcps_rcv_ws ? "and has the window" : "another window"); }' \
	-c "talks own tells4 3 100" >"$T/out"
awk '/^(sequence|segment|window|congestion) / { told[$1] = $0; n++ } /^ours / { ours[$2] = substr($0, 6) } /^the segment|^another/
	END { for (name in told) if (told[name] != ours[name]) print told[name] ", but " ours[name]
		print n " lines compared" }' "$T/out"
