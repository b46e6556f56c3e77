#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * exits.d - show the processes that end, and how
 *
 * Usage: exits.d [-p PID | -c COMMAND] [SECONDS]
 *
 * The time is known of processes that began while the script ran.
 *
 * Columns:
 *   PID        the process
 *   NAME       its name
 *   HOW        exited, killed by a signal, or dumped core
 *   MS         how long it lived, in milliseconds, or 0 if that is not known
 *
 * Example:
 *
 *   # exits.d -c 'timeout 1 sleep 9'
 *        PID NAME             HOW              MS
 *        185 timeout          exited            3
 *        183 sleep            killed            0
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	how[CLD_EXITED] = "exited";
	how[CLD_KILLED] = "killed";
	how[CLD_DUMPED] = "dumped";
	printf("%8s %-16s %-8s %10s\n", "PID", "NAME", "HOW", "MS");
}

proc:::start
/!$target || progenyof($target)/
{
	begun[pid] = timestamp;
}

proc:::exit
/!$target || progenyof($target)/
{
	printf("%8d %-16s %-8s %10d\n", pid, execname, how[args[0]], begun[pid] ? (timestamp - begun[pid]) / 1000000 : 0);
	begun[pid] = 0;
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
