# SPDX-License-Identifier: MIT
# @@worlds: kernel sockets of the kernel
# tcpsinfo_t, udpsinfo_t and csinfo_t of real connections: dtrace's own standard input is one of their ends.
# @@needs: types
ip link set lo up
ends()
{
	cat <<-'D'
	inline struct sock *end = (struct sock *)((struct socket *)((struct file *)getf(0))->private_data)->sk;
	BEGIN
	{
		printf("%s %d %s %d\n", xlate <tcpsinfo_t> (end).tcps_laddr, xlate <tcpsinfo_t> (end).tcps_lport > 1023,
		    xlate <tcpsinfo_t> (end).tcps_raddr, xlate <tcpsinfo_t> (end).tcps_rport);
		printf("%s %d\n", tcp_state_string[xlate <tcpsinfo_t> (end).tcps_state], xlate <tcpsinfo_t> (end).tcps_local);
		printf("%d %d\n", xlate <tcpsinfo_t> (end).tcps_suna == xlate <tcpsinfo_t> (end).tcps_snxt,
		    xlate <tcpsinfo_t> (end).tcps_rnxt == xlate <tcpsinfo_t> (end).tcps_rack);
		printf("%d %d\n", xlate <tcpsinfo_t> (end).tcps_swnd > 10000, xlate <tcpsinfo_t> (end).tcps_rwnd > 10000);
		printf("%d %d\n", xlate <tcpsinfo_t> (end).tcps_mss > 500,
		    xlate <tcpsinfo_t> (end).tcps_cwnd == 10 * xlate <tcpsinfo_t> (end).tcps_mss);
		printf("%d\n", xlate <tcpsinfo_t> (end).tcps_cwnd_ssthresh >= 0x7fffffff);
		printf("%d %d\n", xlate <tcpsinfo_t> (end).tcps_rto >= 200 && xlate <tcpsinfo_t> (end).tcps_rto <= 1200,
		    xlate <tcpsinfo_t> (end).tcps_retransmit);
		printf("%d %d\n", xlate <tcpsinfo_t> (end).tcps_snd_ws < 15, xlate <tcpsinfo_t> (end).tcps_rcv_ws < 15);
		printf("%d %d %d\n", xlate <tcpsinfo_t> (end).tcps_addr == (uintptr_t)end,
		    xlate <csinfo_t> (end).cs_addr == (uintptr_t)end, xlate <csinfo_t> (end).cs_zoneid);
		printf("%s %s %d %d\n", xlate <udpsinfo_t> (end).udps_laddr, xlate <udpsinfo_t> (end).udps_raddr,
		    xlate <udpsinfo_t> (end).udps_lport == xlate <tcpsinfo_t> (end).tcps_lport,
		    xlate <udpsinfo_t> (end).udps_rport);
		exit(0);
	}
	D
}
ends >"$T/ends.d"
mkfifo "$T/in"
exec 4<>"$T/in" # nobody writes: the other end stays open
for address in 127.0.0.1 ::1; do
	nc -l -p 5555 <&4 >"$T/out" &
	listener=$!
	tries=0
	until nc "$address" 5555 -e dtrace -q -s "$T/ends.d" 2>/dev/null || [ $((tries += 1)) -gt 50 ]; do
		usleep 100000
	done
	wait $listener
	cat "$T/out"
done
