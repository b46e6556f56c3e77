# SPDX-License-Identifier: MIT
# A multicast datagram is received by each socket that has joined its group. A buffer that is sent as several datagrams fires
# once, though the kernel counts each that is read.
# @@kernels: 6.1 6.12 debug
# @@needs: types
. ../_lib.sh
for run in "multicast4 5 100" "segments4 4 100"; do
	echo "-- $run"
	dtrace -qn 'udp:::send, udp:::receive { @[probename, args[2]->ip_saddr, args[2]->ip_daddr, args[4]->udp_length] = count(); }
		udp:::receive { @sockets[args[1]->cs_addr] = count(); }
		END { printa("%s %s > %s, %d bytes: %@d\n", @); printa("a socket received %@d\n", @sockets); }' -c "talks own $run" |
		grep '^send\|^receive\|^a socket\|^UdpIn\|^UdpOut'
done
