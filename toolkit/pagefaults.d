#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * pagefaults.d - count the page faults of processes
 *
 * Usage: pagefaults.d [-p PID | -c COMMAND] [SECONDS]
 *
 * Each fault of a program that the kernel looks at is counted: those of memory that is used for
 * the first time, too.
 *
 * Columns:
 *   NAME       the name of the process
 *   PID        the process
 *   COUNT      how often
 *
 * Example:
 *
 *   # pagefaults.d -c 'dd if=/dev/zero of=/dev/null bs=1M count=1 status=none'
 *   NAME                  PID    COUNT
 *   dd                    242      262
 */
#pragma D option quiet
#pragma D option defaultargs

vminfo:::pgfault
/!$target || progenyof($target)/
{
	@faults[execname, pid] = sum(arg0);
}

END
{
	printf("%-16s %8s %8s\n", "NAME", "PID", "COUNT");
	printa("%-16s %8d %@8d\n", @faults);
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
