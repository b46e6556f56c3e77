# SPDX-License-Identifier: MIT
# Both ends of a connection go through their states, in the order of the protocol.
# @@kernels: 6.1 6.12 debug
# @@needs: types
# @@timeout: 60
. ../_lib.sh
for version in 4 6; do
	dtrace -qn 'tcp:::state-change {
			@[args[3]->tcps_lport == 7003 ? "server" : "client", n++,
			    tcp_state_string[args[5]->tcps_state], tcp_state_string[args[3]->tcps_state],
			    args[3]->tcps_state != TCP_STATE_SYN_RECEIVED || args[3]->tcps_local] = count(); }
		END { printa("%s %d %s > %s %d %@d\n", @); }' -c "talks own tcp$version 2 10" |
		grep '^[cs]' | sort -k 1,1 -k 2,2n | cut -d ' ' -f 1,3-
done
