#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * execs.d - show the programs that processes execute
 *
 * Usage: execs.d [-p PID | -c COMMAND] [SECONDS]
 *
 * A line is printed for each program when it has taken the place of the one before.
 *
 * Columns:
 *   PID        the process
 *   PPID       its parent
 *   ARGUMENTS  the program with its arguments, as far as the kernel tells them
 *
 * Example:
 *
 *   # execs.d -c 'time env uname'
 *   Linux
 *        PID     PPID ARGUMENTS
 *        180      179 env uname
 *        180      179 uname
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%8s %8s %s\n", "PID", "PPID", "ARGUMENTS");
}

proc:::exec-success
/!$target || progenyof($target)/
{
	printf("%8d %8d %s\n", pid, ppid, curpsinfo->pr_psargs);
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
