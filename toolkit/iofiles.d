#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * iofiles.d - count the bytes of transfers by file
 *
 * Usage: iofiles.d [-p PID | -c COMMAND] [SECONDS]
 *
 * Data that is written back later counts too: -p and -c only say how long to trace.
 *
 * Columns:
 *   DISK       the disk; nfs and a number for an NFS server
 *   WAY        read or write
 *   BYTES      how many
 *   FILE       the path of the file, if the kernel knows it
 *
 * Example:
 *
 *   # iofiles.d -c 'dd if=/dev/zero of=/mnt/file bs=64k count=50 conv=fsync status=none'
 *   DISK       WAY           BYTES FILE
 *   loop0      write         15360 <none>
 *   loop0      write       3276800 /mnt/file
 */
#pragma D option quiet
#pragma D option defaultargs

io:::start
{
	@bytes[args[1]->dev_statname, args[0]->b_flags & B_READ ? "read" : "write", args[2]->fi_pathname] = sum(args[0]->b_bcount);
}

END
{
	printf("%-10s %-6s %12s %s\n", "DISK", "WAY", "BYTES", "FILE");
	printa("%-10s %-6s %@12d %s\n", @bytes);
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
