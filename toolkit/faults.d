#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * faults.d - count the faults of programs
 *
 * Usage: faults.d [-p PID | -c COMMAND] [SECONDS]
 *
 * A fault is an instruction that fails, before the signal that tells the program. Pages that the
 * kernel brings are none: pagefaults.d counts those.
 *
 * Columns:
 *   NAME       the name of the process
 *   PID        the process
 *   FAULT      its number, as in the inlines FLTBOUNDS and others
 *   COUNT      how often
 *
 * Example:
 *
 *   # faults.d -c 'lives faults'
 *   NAME                  PID  FAULT    COUNT
 *   lives                 235      6        1
 *   lives                 236      5        1
 *   lives                 237      8        1
 *   lives                 238      1        1
 *   lives                 239      3        1
 */
#pragma D option quiet
#pragma D option defaultargs

proc:::fault
/!$target || progenyof($target)/
{
	@faults[execname, pid, args[0]] = count();
}

END
{
	printf("%-16s %8s %6s %8s\n", "NAME", "PID", "FAULT", "COUNT");
	printa("%-16s %8d %6d %@8d\n", @faults);
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
