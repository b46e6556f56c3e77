#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * containers.d - count system calls by control group
 *
 * Usage: containers.d [-p PID | -c COMMAND] [SECONDS]
 *
 * A container has a control group of its own.
 *
 * Columns:
 *   GROUP      the name of the control group, empty for the root
 *   NAME       the name of the process
 *   COUNT      how many system calls
 *
 * Example:
 *
 *   # containers.d 2
 *   GROUP                            NAME                COUNT
 *                                    timeout                 4
 *   shop                             true                   74
 *   shop                             sh                    255
 *   shop                             exe                   555
 *   shop                             busybox               576
 */
#pragma D option quiet
#pragma D option defaultargs

syscall:::entry
/(!$target || progenyof($target)) && pid != $pid/
{
	@calls[stringof(curthread->cgroups->dfl_cgrp->kn->name), execname] = count();
}

END
{
	printf("%-32s %-16s %8s\n", "GROUP", "NAME", "COUNT");
	printa("%-32s %-16s %@8d\n", @calls);
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
