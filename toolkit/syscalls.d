#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * syscalls.d - count system calls by process
 *
 * Usage: syscalls.d [-p PID | -c COMMAND] [SECONDS]
 *
 * Columns:
 *   NAME       the name of the process
 *   PID        the process
 *   CALL       the system call
 *   COUNT      how often
 *
 * Example:
 *
 *   # syscalls.d -c uname
 *   Linux
 *   NAME                  PID CALL                    COUNT
 *   uname                 254 exit_group                  1
 *   uname                 254 getuid                      1
 *   uname                 254 newfstatat                  1
 *   uname                 254 prctl                       1
 *   uname                 254 uname                       1
 *   uname                 254 write                       1
 */
#pragma D option quiet
#pragma D option defaultargs

syscall:::entry
/(!$target || progenyof($target)) && pid != $pid/
{
	@calls[execname, pid, probefunc] = count();
}

END
{
	printf("%-16s %8s %-20s %8s\n", "NAME", "PID", "CALL", "COUNT");
	printa("%-16s %8d %-20s %@8d\n", @calls);
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
