#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * systime.d - show the time in system calls, as distributions
 *
 * Usage: systime.d [-p PID | -c COMMAND] [SECONDS]
 *
 * The time includes what a call waits.
 *
 * Columns:
 *   CALL       the system call
 *   value      nanoseconds
 *   count      how many calls took as long
 *
 * Example:
 *
 *   # systime.d -c uname
 *   Linux
 *   getuid, ns
 *              value  ------------- Distribution ------------- count
 *               4096 |                                         0
 *               8192 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1
 *              16384 |                                         0
 */
#pragma D option quiet
#pragma D option defaultargs

syscall:::entry
/(!$target || progenyof($target)) && pid != $pid/
{
	self->begun = timestamp;
}

syscall:::return
/self->begun/
{
	@time[probefunc] = quantize(timestamp - self->begun);
	self->begun = 0;
}

END
{
	printa("%s, ns%@d\n", @time);
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
