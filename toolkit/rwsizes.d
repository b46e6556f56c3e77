#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * rwsizes.d - show the sizes of reads and writes, as distributions
 *
 * Usage: rwsizes.d [-p PID | -c COMMAND] [SECONDS]
 *
 * Calls that failed are left out.
 *
 * Columns:
 *   NAME       the name of the process
 *   CALL       the system call
 *   value      bytes
 *   count      how many calls moved as many
 *
 * Example:
 *
 *   # rwsizes.d -c 'dd if=/dev/zero of=/dev/null bs=9 count=100 status=none'
 *   dd read, bytes
 *              value  ------------- Distribution ------------- count
 *                  4 |                                         0
 *                  8 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 100
 *                 16 |                                         0
 *
 *   dd write, bytes
 *              value  ------------- Distribution ------------- count
 *                  4 |                                         0
 *                  8 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 100
 *                 16 |                                         0
 */
#pragma D option quiet
#pragma D option defaultargs

syscall::read:return, syscall::write:return, syscall::pread64:return, syscall::pwrite64:return
/(!$target || progenyof($target)) && !errno/
{
	@sizes[execname, probefunc] = quantize(arg0);
}

END
{
	printa("%s %s, bytes%@d\n", @sizes);
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
