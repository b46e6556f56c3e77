#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * udpbytes.d - count UDP datagrams and their bytes by peer
 *
 * Usage: udpbytes.d [-p PID | -c COMMAND] [SECONDS]
 *
 * -p and -c only say how long to trace.
 *
 * Columns:
 *   WAY        send or receive
 *   PEER       the address at the other end
 *   DATAGRAMS  how many
 *   BYTES      how many, with the UDP headers
 *
 * Example:
 *
 *   # udpbytes.d 6
 *   WAY      PEER                                     DATAGRAMS        BYTES
 *   receive  127.0.0.1                                        5          540
 *   send     127.0.0.1                                        5          540
 */
#pragma D option quiet
#pragma D option defaultargs

udp:::send
{
	@datagrams[probename, args[2]->ip_daddr] = count();
	@bytes[probename, args[2]->ip_daddr] = sum(args[4]->udp_length);
}

udp:::receive
{
	@datagrams[probename, args[2]->ip_saddr] = count();
	@bytes[probename, args[2]->ip_saddr] = sum(args[4]->udp_length);
}

END
{
	printf("%-8s %-40s %9s %12s\n", "WAY", "PEER", "DATAGRAMS", "BYTES");
	printa("%-8s %-40s %@9d %@12d\n", @datagrams, @bytes);
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
