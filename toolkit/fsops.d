#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * fsops.d - count the operations of file systems by process and type of file system
 *
 * Usage: fsops.d [-p PID | -c COMMAND] [SECONDS]
 *
 * The operations are the probes of the provider fsinfo. Reads and writes have their bytes, too.
 *
 * Columns:
 *   NAME       the name of the process
 *   FS         the type of the file system
 *   OPERATION  what the file system does
 *   COUNT      how often
 *   BYTES      how many bytes it reads or writes
 *
 * Example:
 *
 *   # fsops.d -c 'dd if=/dev/zero of=/dev/null bs=9 count=100 status=none'
 *   NAME             FS         OPERATION         COUNT        BYTES
 *   dd               devtmpfs   access                2            0
 *   dd               devtmpfs   close                 2            0
 *   dd               devtmpfs   open                  2            0
 *   dd               devtmpfs   read                100          900
 *   dd               devtmpfs   write               100          900
 */
#pragma D option quiet
#pragma D option defaultargs

fsinfo:::
/!$target || progenyof($target)/
{
	@count[execname, args[0]->fi_fs, probename] = count();
	@bytes[execname, args[0]->fi_fs, probename] = sum(args[1]);
}

END
{
	printf("%-16s %-10s %-12s %10s %12s\n", "NAME", "FS", "OPERATION", "COUNT", "BYTES");
	printa("%-16s %-10s %-12s %@10d %@12d\n", @count, @bytes);
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
