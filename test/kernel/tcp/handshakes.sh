# SPDX-License-Identifier: MIT
# Handshakes that are seldom: answers that are sent again, data in the first segment, a socket that connects to itself.
# @@kernels: 6.1 6.12 debug
# @@needs: types
# @@timeout: 90
. ../_lib.sh
for run in "unanswered4 1" "fast4 3" "self4 2 10"; do
	echo "-- $run"
	dtrace -qn 'tcp:::send { @segments = sum(args[3]->tcps_retransmit); }
		tcp:::send /args[3]->tcps_retransmit && args[4]->tcp_flags == (TH_SYN | TH_ACK)/ { answers++; }
		tcp:::send { sent++; }
		tcp:::receive { received++; }
		tcp:::connect-established, tcp:::accept-established { @ends[probename] = count(); }
		END { printa("again %@d\n", @segments); printf("%s sent again\n", answers ? "answers" : "no answers");
			printf("%s\n", sent == received ? "all received" : "not all received");
			printa("%s: %@d\n", @ends); }' -c "talks own $run" >"$T/out"
	grep 'sent again$\|received$\|established' "$T/out"
	awk '/^again/ { again = $2 } /^TcpRetransSegs/ { counted = $2 }
		END { print again == counted ? "as many again as the kernel counts" : again " again, counted " counted }' "$T/out"
done
