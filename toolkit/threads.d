#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * threads.d - count the threads that processes make
 *
 * Usage: threads.d [-p PID | -c COMMAND] [SECONDS]
 *
 * The first thread of a process is not counted.
 *
 * Columns:
 *   NAME       the name of the process
 *   PID        the process
 *   THREADS    how many threads it made
 *
 * Example:
 *
 *   # threads.d -c 'lives threads 30'
 *   NAME                  PID  THREADS
 *   lives                 197       30
 */
#pragma D option quiet
#pragma D option defaultargs

proc:::lwp-create
/(!$target || progenyof($target)) && args[1]->pr_pid == pid/
{
	@threads[execname, pid] = count();
}

END
{
	printf("%-16s %8s %8s\n", "NAME", "PID", "THREADS");
	printa("%-16s %8d %@8d\n", @threads);
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
