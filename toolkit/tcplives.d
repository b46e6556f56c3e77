#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * tcplives.d - show TCP connections when they end: how long they lived, and their bytes
 *
 * Usage: tcplives.d [-p PID | -c COMMAND] [SECONDS]
 *
 * Each end of a connection within the machine has a line. The time begins when the connection is
 * asked for or, at the other end, established. -p and -c only say how long to trace.
 *
 * Columns:
 *   LOCAL      the address here
 *   LPORT      the port
 *   REMOTE     the address of the other end
 *   RPORT      its port
 *   SENT       bytes sent, those sent again not counted twice
 *   RECEIVED   bytes received in order
 *   MS         milliseconds
 *
 * Example:
 *
 *   # tcplives.d 3
 *   LOCAL                    LPORT REMOTE                   RPORT       SENT   RECEIVED       MS
 *   127.0.0.1                57512 127.0.0.1                 7003         20          0        1
 *   127.0.0.1                 7003 127.0.0.1                57512          0         20        1
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%-24s %5s %-24s %5s %10s %10s %8s\n", "LOCAL", "LPORT", "REMOTE", "RPORT", "SENT", "RECEIVED", "MS");
}

tcp:::state-change
/!begun[args[1]->cs_cid] && (args[3]->tcps_state == TCP_STATE_SYN_SENT || args[3]->tcps_state == TCP_STATE_ESTABLISHED)/
{
	begun[args[1]->cs_cid] = timestamp;
}

/* The kernel counts the end of the other side as a byte that is received. */
tcp:::state-change
/args[3]->tcps_state == TCP_STATE_CLOSE_WAIT || args[3]->tcps_state == TCP_STATE_CLOSING || args[3]->tcps_state == TCP_STATE_TIME_WAIT/
{
	ended[args[1]->cs_cid] = 1;
}

tcp:::state-change
/begun[args[1]->cs_cid] && args[3]->tcps_state == TCP_STATE_CLOSED/
{
	this->sock = (struct tcp_sock *)args[3]->tcps_addr;
	printf("%-24s %5d %-24s %5d %10d %10d %8d\n", args[3]->tcps_laddr, args[3]->tcps_lport, args[3]->tcps_raddr,
	    args[3]->tcps_rport, this->sock->bytes_sent - this->sock->bytes_retrans,
	    this->sock->bytes_received - ended[args[1]->cs_cid],
	    (timestamp - begun[args[1]->cs_cid]) / 1000000);
	begun[args[1]->cs_cid] = 0;
	ended[args[1]->cs_cid] = 0;
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
