#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * execfails.d - show the programs that could not be executed
 *
 * Usage: execfails.d [-p PID | -c COMMAND] [SECONDS]
 *
 * A shell that looks for a program in each folder of PATH may be seen here many times.
 *
 * Columns:
 *   PID        the process
 *   ERRNO      why: see errno(3)
 *   NAME       the process's name
 *   PATH       what it wanted to execute
 *
 * Example:
 *
 *   # execfails.d -c 'env PATH=/sbin:/bin nosuchprogram'
 *   env: can't execute 'nosuchprogram': No such file or directory
 *        PID ERRNO NAME             PATH
 *        184     2 env              /sbin/nosuchprogram
 *        184     2 env              /bin/nosuchprogram
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%8s %5s %-16s %s\n", "PID", "ERRNO", "NAME", "PATH");
}

proc:::exec
/!$target || progenyof($target)/
{
	self->path = args[0];
}

proc:::exec-failure
/self->path != NULL/
{
	printf("%8d %5d %-16s %s\n", pid, args[0], execname, self->path);
}

proc:::exec-failure, proc:::exec-success
{
	self->path = 0;
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
