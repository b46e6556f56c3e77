#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * slowcalls.d - show each system call that takes longer than some time
 *
 * Usage: slowcalls.d MICROSECONDS [-p PID | -c COMMAND] [SECONDS]
 *
 * MICROSECONDS is the time from which on a call is shown.
 *
 * Columns:
 *   PID        the process
 *   NAME       its name
 *   CALL       the system call
 *   US         how long it took, in microseconds
 *   ERRNO      0, or why it failed: see errno(3)
 *
 * Example:
 *
 *   # slowcalls.d 100000 -c 'sh -c "sleep 1; true"'
 *        PID NAME             CALL                           US ERRNO
 *        575 sleep            clock_nanosleep           1000552     0
 *        574 sh               wait4                     1010088     0
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%8s %-16s %-20s %12s %5s\n", "PID", "NAME", "CALL", "US", "ERRNO");
}

syscall:::entry
/!$target || progenyof($target)/
{
	self->begun = timestamp;
}

syscall:::return
/self->begun && timestamp - self->begun >= $1 * 1000/
{
	printf("%8d %-16s %-20s %12d %5d\n", pid, execname, probefunc, (timestamp - self->begun) / 1000, errno);
}

syscall:::return
{
	self->begun = 0;
}

tick-1s
{
	elapsed++;
}

tick-1s
/elapsed == $2/
{
	exit(0);
}
