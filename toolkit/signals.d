#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * signals.d - count the signals that processes send to each other, the ignored ones too
 *
 * Usage: signals.d [-p PID | -c COMMAND] [SECONDS]
 *
 * Signals of the kernel count for the process that ran when they were sent.
 *
 * Columns:
 *   FROM       the name of the sender
 *   TO         the name of the receiver
 *   SIGNAL     its number: see signal(7)
 *   COUNT      how often
 *
 * Example:
 *
 *   # signals.d -c "sh -c 'sleep 9 & kill \$!; wait'"
 *   FROM             TO               SIGNAL    COUNT
 *   exe              sh                   17        1
 *   sh               exe                  15        1
 *   sh               signals.d            17        1
 */
#pragma D option quiet
#pragma D option defaultargs

proc:::signal-send,
proc:::signal-discard
/!$target || progenyof($target)/
{
	@sent[execname, args[1]->pr_fname, args[2]] = count();
}

END
{
	printf("%-16s %-16s %6s %8s\n", "FROM", "TO", "SIGNAL", "COUNT");
	printa("%-16s %-16s %6d %@8d\n", @sent);
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
