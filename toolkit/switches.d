#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * switches.d - count context switches, voluntary and not
 *
 * Usage: switches.d [-p PID | -c COMMAND] [SECONDS]
 *
 * A switch is voluntary if the thread waits for something.
 *
 * Columns:
 *   NAME       the name of the process
 *   PID        the process
 *   KIND       sleep, or preempt if the thread could go on
 *   COUNT      how often
 *
 * Example:
 *
 *   # switches.d -c 'sleep 1'
 *   NAME                  PID KIND        COUNT
 *   sleep                 272 sleep           1
 */
#pragma D option quiet
#pragma D option defaultargs

sched:::sleep, sched:::preempt
/(!$target || progenyof($target)) && pid/
{
	@switches[execname, pid, probename] = count();
}

END
{
	printf("%-16s %8s %-8s %8s\n", "NAME", "PID", "KIND", "COUNT");
	printa("%-16s %8d %-8s %@8d\n", @switches);
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
