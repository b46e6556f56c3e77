#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * sysfails.d - count system calls that fail, by process and error
 *
 * Usage: sysfails.d [-p PID | -c COMMAND] [SECONDS]
 *
 * Columns:
 *   NAME       the name of the process
 *   CALL       the system call
 *   ERRNO      the error: see errno(3)
 *   COUNT      how often
 *
 * Example:
 *
 *   # sysfails.d -c 'cat /nonexistent'
 *   cat: can't open '/nonexistent': No such file or directory
 *   NAME             CALL                 ERRNO    COUNT
 *   cat              openat                   2        1
 */
#pragma D option quiet
#pragma D option defaultargs

syscall:::return
/(!$target || progenyof($target)) && pid != $pid && errno/
{
	@fails[execname, probefunc, errno] = count();
}

END
{
	printf("%-16s %-20s %5s %8s\n", "NAME", "CALL", "ERRNO", "COUNT");
	printa("%-16s %-20s %5d %@8d\n", @fails);
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
