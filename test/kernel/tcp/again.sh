# SPDX-License-Identifier: MIT
# Probes of segments that arrive out of order fire in the order of time, whatever processors they arrive on. Retransmitted
# segments are distinguished from others. Large ones, which are split later or never, have all bytes.
# @@kernels: 6.1 6.12 debug
# @@needs: types
# @@timeout: 90
. ../_lib.sh
echo "-- out of order"
dtrace -qn 'tcp:::receive /args[4]->tcp_dport == 7003 && args[4]->tcp_flags & TH_SYN/ { first = args[4]->tcp_seq + 1; }
	tcp:::send /args[3]->tcps_retransmit/ { again[args[4]->tcp_seq]++; }
	tcp:::receive /args[4]->tcp_dport == 7003 && args[2]->ip_plength > args[4]->tcp_offset/ { this->skip = again[args[4]->tcp_seq] > 0;
		again[args[4]->tcp_seq] -= this->skip; }
	tcp:::receive /args[4]->tcp_dport == 7003 && args[2]->ip_plength > args[4]->tcp_offset && !this->skip/ {
		printf("at %d: %d\n", args[4]->tcp_seq - first, args[2]->ip_plength - args[4]->tcp_offset); }' \
	-c "talks own disorder4 3 100" | grep ^at

echo "-- sent again"
for run in "own lost4 3 100" "lost6 2 50"; do
	dtrace -qn 'tcp:::send /args[2]->ip_plength > args[4]->tcp_offset/ { @[args[3]->tcps_retransmit] = sum(args[2]->ip_plength - args[4]->tcp_offset); }
		tcp:::send { @n = sum(args[3]->tcps_retransmit); }
		END { printa("probe %d %@d\n", @); printa("segments %@d\n", @n); }' -c "talks $run" >"$T/out"
	awk '/^sent/ { sent = $2 } /^again/ { again = $2 } /^probe 0/ { first = $3 } /^probe 1/ { more = $3 }
		/^segments/ { segments = $2 } /^TcpRetransSegs/ { counted = $2 }
		END { print sent, "bytes,", (sent == first ? "all told" : first " told")
			print more == again && again && segments == counted ? "as many again as the kernel counts" :
				more " again, counted " again ", " segments " segments, counted " counted }' "$T/out"
done

echo "-- large"
ip link set lo mtu 1500
for version in 4 6; do
	dtrace -qn 'tcp:::send, tcp:::receive /args[2]->ip_plength > args[4]->tcp_offset/ {
			@[probename] = sum(args[2]->ip_plength - args[4]->tcp_offset); n += probename == "send"; }
		tcp:::send /args[3]->tcps_retransmit/ { /* on a slow machine */
			this->again = (int)(args[2]->ip_plength - args[4]->tcp_offset);
			@["send"] = sum(-this->again); @["receive"] = sum(-this->again); }
		END { printa("%s: %@d bytes\n", @); printf("told %d\n", n); }' -c "talks large$version 5 60000" >"$T/out"
	grep bytes "$T/out"
	awk '/^told/ { told = $2 } /^TcpOutSegs/ { segments = $2 }
		END { print (told < segments ? "fewer than the segments" : told " told, " segments " segments") }' "$T/out"
done
ip link set lo mtu 65536

echo "-- larger than an IP packet may be"
# Only later kernels keep so much together. The probes of both providers tell the same bytes.
dtrace -qn 'tcp:::send { @["tcp"] = sum(args[2]->ip_plength); }
	ip:::send /args[4]->ipv4_protocol == IPPROTO_TCP/ { @["ip"] = sum(args[2]->ip_plength); }
	END { printa("%s %@d\n", @); }' -c "talks large4 5 250000" >"$T/out"
awk '/^tcp/ { tcp = $2 } /^ip/ { ip = $2 } END { print (tcp == ip && tcp > 1250000 ? "the same" : "tcp " tcp ", ip " ip) }' "$T/out"
