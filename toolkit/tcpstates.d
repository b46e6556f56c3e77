#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * tcpstates.d - count the changes of state of TCP connections
 *
 * Usage: tcpstates.d [-p PID | -c COMMAND] [SECONDS]
 *
 * -p and -c only say how long to trace.
 *
 * Columns:
 *   BEFORE     the state before
 *   AFTER      the new one
 *   COUNT      how often
 *
 * Example:
 *
 *   # tcpstates.d 6
 *   BEFORE               AFTER                   COUNT
 *   state-close-wait     state-last-ack              1
 *   state-closed         state-listen                1
 *   state-closed         state-syn-sent              1
 *   state-established    state-close-wait            1
 *   state-established    state-fin-wait-1            1
 *   state-fin-wait-1     state-fin-wait-2            1
 *   state-fin-wait-2     state-closed                1
 *   state-fin-wait-2     state-time-wait             1
 *   state-last-ack       state-closed                1
 *   state-listen         state-closed                1
 *   state-listen         state-syn-received          1
 *   state-syn-received   state-established           1
 *   state-syn-sent       state-established           1
 */
#pragma D option quiet
#pragma D option defaultargs

tcp:::state-change
{
	@changes[tcp_state_string[args[5]->tcps_state], tcp_state_string[args[3]->tcps_state]] = count();
}

END
{
	printf("%-20s %-20s %8s\n", "BEFORE", "AFTER", "COUNT");
	printa("%-20s %-20s %@8d\n", @changes);
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
