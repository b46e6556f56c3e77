#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * ioprocs.d - count the bytes of transfers by process
 *
 * Usage: ioprocs.d [-p PID | -c COMMAND] [SECONDS]
 *
 * The process is the one that gives the transfer to the disk or to the client of NFS. For what is
 * written back that is a thread of the kernel.
 *
 * Columns:
 *   NAME       the name of the process
 *   PID        the process
 *   WAY        read or write
 *   BYTES      how many
 *
 * Example:
 *
 *   # ioprocs.d -c 'dd if=/dev/zero of=/mnt/file bs=64k count=50 conv=fsync status=none'
 *   NAME                  PID WAY           BYTES
 *   dd                    332 write       3292160
 */
#pragma D option quiet
#pragma D option defaultargs

io:::start
/!$target || progenyof($target)/
{
	@bytes[execname, pid, args[0]->b_flags & B_READ ? "read" : "write"] = sum(args[0]->b_bcount);
}

END
{
	printf("%-16s %8s %-6s %12s\n", "NAME", "PID", "WAY", "BYTES");
	printa("%-16s %8d %-6s %@12d\n", @bytes);
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
