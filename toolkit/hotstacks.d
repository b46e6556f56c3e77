#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * hotstacks.d - show the ten stacks of programs that use most processor time
 *
 * Usage: hotstacks.d [-p PID | -c COMMAND] [SECONDS]
 *
 * Each processor is looked at 97 times a second. Time in the kernel is left out.
 *
 * Columns:
 *   stack      the functions, the innermost first
 *   count      how often the stack was seen
 *
 * Example:
 *
 *   # hotstacks.d -c "sh -c 'while :; do :; done'" 2
 *   sh
 *                 busybox`0x5277a4
 *                  3
 */
#pragma D option quiet
#pragma D option defaultargs

profile-97
/(!$target || progenyof($target)) && arg1/
{
	@stacks[execname, ustack()] = count();
}

END
{
	trunc(@stacks, 10);
	printa("%s%-14k%@17d\n\n", @stacks);
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
