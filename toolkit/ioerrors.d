#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * ioerrors.d - show the transfers of disks that fail
 *
 * Usage: ioerrors.d [-p PID | -c COMMAND] [SECONDS]
 *
 * Transfers end when another thread may run, so the process is not asked for: -p and -c only say
 * how long to trace.
 *
 * Columns:
 *   DISK       the disk, or its part; nfs and a number for an NFS server
 *   WAY        read or write
 *   BLOCK      where on the disk, for an NFS server where in the file, in blocks of 512 bytes
 *   BYTES      how much was to be moved
 *   ERRNO      why it failed: see errno(3)
 *   FILE       the file, or <none>
 *
 * Example:
 *
 *   # ioerrors.d -c 'dd if=/dev/zero of=/dev/loop0 bs=4k count=1 seek=10000 conv=notrunc,fsync status=none'
 *   dd: /dev/loop0: Input/output error
 *   DISK         WAY           BLOCK      BYTES ERRNO FILE
 *   loop0        write         80000       1024    28 <none>
 *   loop0        write         80002       1024    28 <none>
 *   loop0        write         80004       1024    28 <none>
 *   loop0        write         80006       1024    28 <none>
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%-12s %-6s %12s %10s %5s %s\n", "DISK", "WAY", "BLOCK", "BYTES", "ERRNO", "FILE");
}

io:::done
/args[0]->b_error/
{
	printf("%-12s %-6s %12d %10d %5d %s\n", args[1]->dev_statname, args[0]->b_flags & B_READ ? "read" : "write",
	    args[0]->b_blkno, args[0]->b_bcount, args[0]->b_error, args[2]->fi_pathname);
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
