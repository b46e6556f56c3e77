#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * oncpu.d - show which processes use the processors, by samples
 *
 * Usage: oncpu.d [-p PID | -c COMMAND] [SECONDS]
 *
 * Each processor is looked at 97 times a second.
 *
 * Columns:
 *   NAME       the name of the process
 *   PID        the process
 *   SAMPLES    how often it ran
 *
 * Example:
 *
 *   # oncpu.d -c "sh -c 'while :; do :; done'" 2
 *   NAME                  PID  SAMPLES
 *   sh                    263      172
 */
#pragma D option quiet
#pragma D option defaultargs

profile-97
/(!$target || progenyof($target)) && pid/
{
	@samples[execname, pid] = count();
}

END
{
	printf("%-16s %8s %8s\n", "NAME", "PID", "SAMPLES");
	printa("%-16s %8d %@8d\n", @samples);
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
