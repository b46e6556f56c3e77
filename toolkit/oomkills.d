#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * oomkills.d - show the processes that the kernel kills for want of memory
 *
 * Usage: oomkills.d [-p PID | -c COMMAND] [SECONDS]
 *
 * Memory may be short in the machine or in a control group. -p and -c only say how long to trace.
 *
 * Columns:
 *   PID        the process that is killed
 *   NAME       its name
 *   MB         how much memory it may address, in MiB
 *   ASKED      the name of the process that asked for memory
 *   WHY        what the kernel says
 *
 * Example:
 *
 *   # oomkills.d 3
 *        PID NAME                   MB ASKED            WHY
 *        607 dd                     52 dd               Memory cgroup out of memory
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%8s %-16s %8s %-16s %s\n", "PID", "NAME", "MB", "ASKED", "WHY");
}

fbt::__oom_kill_process:entry
{
	printf("%8d %-16s %8d %-16s %s\n", args[0]->tgid, stringof(args[0]->comm), args[0]->mm->total_vm >> 8, execname,
	    stringof(args[1]));
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
