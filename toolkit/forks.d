#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * forks.d - show the processes that are made
 *
 * Usage: forks.d [-p PID | -c COMMAND] [SECONDS]
 *
 * A line is printed in the parent for each new process. Threads are shown by threads.d.
 *
 * Columns:
 *   PID        the parent
 *   NAME       its name
 *   CHILD      the new process
 *
 * Example:
 *
 *   # forks.d -c "sh -c 'id -u; uname; true'"
 *   0
 *   Linux
 *        PID NAME                CHILD
 *        188 sh                    189
 *        188 sh                    190
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%8s %-16s %8s\n", "PID", "NAME", "CHILD");
}

proc:::create
/!$target || progenyof($target)/
{
	printf("%8d %-16s %8d\n", pid, execname, args[0]->pr_pid);
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
