#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * iolatency.d - show how long transfers of disks take, as distributions
 *
 * Usage: iolatency.d [-p PID | -c COMMAND] [SECONDS]
 *
 * Transfers end when another thread may run, so the process is not asked for: -p and -c only say
 * how long to trace.
 *
 * Columns:
 *   DISK       the disk, or nfs and a number for an NFS server, and the direction
 *   value      nanoseconds
 *   count      how many transfers took as long
 *
 * Example:
 *
 *   # iolatency.d -c 'dd if=/dev/zero of=/mnt/file bs=64k count=50 conv=fsync status=none'
 *   loop0 read, ns
 *              value  ------------- Distribution ------------- count
 *              65536 |                                         0
 *             131072 |@@@@@@@@@@@@@@@@@@@@                     1
 *             262144 |                                         0
 *             524288 |@@@@@@@@@@@@@@@@@@@@                     1
 *            1048576 |                                         0
 *
 *   loop0 write, ns
 *              value  ------------- Distribution ------------- count
 *              65536 |                                         0
 *             131072 |@                                        1
 *             262144 |@                                        1
 *             524288 |@@@@@@                                   5
 *            1048576 |@@@@@@@@@@@@                             9
 *            2097152 |                                         0
 *            4194304 |@@@                                      2
 *            8388608 |@                                        1
 *           16777216 |@@@@@@@@@@@@@@@                          12
 *           33554432 |                                         0
 */
#pragma D option quiet
#pragma D option defaultargs

io:::start
{
	begun[arg0] = timestamp;
}

io:::done
/begun[arg0]/
{
	@time[args[1]->dev_statname, args[0]->b_flags & B_READ ? "read" : "write"] = quantize(timestamp - begun[arg0]);
	begun[arg0] = 0;
}

END
{
	printa("%s %s, ns%@d\n", @time);
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
