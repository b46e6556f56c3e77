#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * tcpresends.d - count TCP segments that are sent again, by peer
 *
 * Usage: tcpresends.d [-p PID | -c COMMAND] [SECONDS]
 *
 * Timers and what arrives have segments sent again, and no process does: -p and -c only say how
 * long to trace.
 *
 * Columns:
 *   PEER       the address of the other end
 *   PORT       its port
 *   SEGMENTS   segments sent again
 *   BYTES      data in them
 *
 * Example:
 *
 *   # tcpresends.d 4
 *   PEER                                      PORT SEGMENTS        BYTES
 *   127.0.0.1                                 7003        2          400
 */
#pragma D option quiet
#pragma D option defaultargs

tcp:::send
/args[3]->tcps_retransmit/
{
	@segments[args[2]->ip_daddr, args[4]->tcp_dport] = count();
	@bytes[args[2]->ip_daddr, args[4]->tcp_dport] = sum(args[2]->ip_plength - args[4]->tcp_offset);
}

END
{
	printf("%-40s %5s %8s %12s\n", "PEER", "PORT", "SEGMENTS", "BYTES");
	printa("%-40s %5d %@8d %@12d\n", @segments, @bytes);
}

tick-1s
{
	elapsed++;
}

tick-1s
/elapsed == $1/
{
	exit(0);
}
