#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * tcpconns.d - count TCP connections made, accepted and refused
 *
 * Usage: tcpconns.d [-p PID | -c COMMAND] [SECONDS]
 *
 * Connections are counted at each end that is on this machine: -p and -c only say how long to
 * trace.
 *
 * Columns:
 *   EVENT      the probe of the provider tcp
 *   FROM       the address that the packet came from
 *   PORT       the port of the server
 *   COUNT      how often
 *
 * Example:
 *
 *   # tcpconns.d 6
 *   EVENT                FROM                       PORT    COUNT
 *   accept-established   127.0.0.1                  7003        1
 *   connect-established  127.0.0.1                  7003        1
 *   accept-refused       127.0.0.1                  7098        3
 *   connect-refused      127.0.0.1                  7098        3
 */
#pragma D option quiet
#pragma D option defaultargs

tcp:::connect-established, tcp:::connect-refused, tcp:::accept-established
{
	@events[probename, args[2]->ip_saddr, probename == "accept-established" ? args[4]->tcp_dport : args[4]->tcp_sport] = count();
}

tcp:::accept-refused
{
	@events[probename, args[2]->ip_daddr, args[4]->tcp_sport] = count();
}

END
{
	printf("%-20s %-24s %6s %8s\n", "EVENT", "FROM", "PORT", "COUNT");
	printa("%-20s %-24s %6d %@8d\n", @events);
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
