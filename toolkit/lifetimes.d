#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * lifetimes.d - show how long programs run, as distributions
 *
 * Usage: lifetimes.d [-p PID | -c COMMAND] [SECONDS]
 *
 * The time is what passes from the moment a program is executed until its process ends, for
 * programs that begin while the script runs.
 *
 * Columns:
 *   NAME       the name of the program
 *   value      microseconds
 *   count      how many ran as long
 *
 * Example:
 *
 *   # lifetimes.d -c "sh -c 'for i in 1 2 3 4 5 6 7; do calls done; done'"
 *   calls, us
 *              value  ------------- Distribution ------------- count
 *                512 |                                         0
 *               1024 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@       6
 *               2048 |@@@@@@                                   1
 *               4096 |                                         0
 */
#pragma D option quiet
#pragma D option defaultargs

proc:::exec-success
/!$target || progenyof($target)/
{
	begun[pid] = timestamp;
}

proc:::exit
/begun[pid]/
{
	@time[execname] = quantize((timestamp - begun[pid]) / 1000);
	begun[pid] = 0;
}

END
{
	printa("%s, us%@d\n", @time);
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
