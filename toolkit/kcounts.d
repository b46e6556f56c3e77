#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * kcounts.d - count calls of functions of the kernel
 *
 * Usage: kcounts.d FUNCTION [-p PID | -c COMMAND] [SECONDS]
 *
 * FUNCTION may be a pattern, as 'vfs_*'.
 *
 * Columns:
 *   FUNCTION   the function
 *   NAME       the name of the process that called it
 *   COUNT      how often
 *
 * Example:
 *
 *   # kcounts.d 'vfs_*' -c 'cat /etc/hostname'
 *   dtvm
 *   FUNCTION                         NAME                COUNT
 *   vfs_open                         cat                     1
 */
#pragma D option quiet
#pragma D option defaultargs

fbt::$1:entry
/!$target || progenyof($target)/
{
	@calls[probefunc, execname] = count();
}

END
{
	printf("%-32s %-16s %8s\n", "FUNCTION", "NAME", "COUNT");
	printa("%-32s %-16s %@8d\n", @calls);
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
