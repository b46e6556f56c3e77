#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * klatency.d - show how long a function of the kernel takes, as a distribution
 *
 * Usage: klatency.d FUNCTION [-p PID | -c COMMAND] [SECONDS]
 *
 * FUNCTION is the name of one function that does not call itself.
 *
 * Columns:
 *   FUNCTION   the function
 *   value      nanoseconds
 *   count      how many calls took as long
 *
 * Example:
 *
 *   # klatency.d vfs_write -c 'dd if=/dev/zero of=/dev/null bs=9 count=100 status=none'
 *   vfs_write, ns
 *              value  ------------- Distribution ------------- count
 *               2048 |                                         0
 *               4096 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@  98
 *               8192 |                                         1
 *              16384 |                                         0
 *              32768 |                                         0
 *              65536 |                                         0
 *             131072 |                                         1
 *             262144 |                                         0
 */
#pragma D option quiet
#pragma D option defaultargs

fbt::$1:entry
/!$target || progenyof($target)/
{
	self->begun = timestamp;
}

fbt::$1:return
/self->begun/
{
	@time[probefunc] = quantize(timestamp - self->begun);
	self->begun = 0;
}

END
{
	printa("%s, ns%@d\n", @time);
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
