#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * fslatency.d - show how long reads and writes of files take by type of file system, as distributions
 *
 * Usage: fslatency.d [-p PID | -c COMMAND] [SECONDS]
 *
 * Reads and writes of read(2), write(2), pread(2) and pwrite(2) count, and fsync(2). Those of data
 * in memory are fast, those that need the disk or the network are slow.
 *
 * Columns:
 *   TYPE       the type of the file system, and read, write or sync
 *   value      nanoseconds
 *   count      how many took as long
 *
 * Example:
 *
 *   # fslatency.d -c 'dd if=/dev/zero of=/mnt/file bs=64k count=50 conv=fsync status=none'
 *   devtmpfs read, ns
 *              value  ------------- Distribution ------------- count
 *               8192 |                                         0
 *              16384 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@        41
 *              32768 |@@@@@@                                   7
 *              65536 |                                         0
 *             131072 |@                                        1
 *             262144 |                                         0
 *             524288 |                                         0
 *            1048576 |@                                        1
 *            2097152 |                                         0
 *
 *   ext4 sync, ns
 *              value  ------------- Distribution ------------- count
 *            8388608 |                                         0
 *           16777216 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1
 *           33554432 |                                         0
 *
 *   ext4 write, ns
 *              value  ------------- Distribution ------------- count
 *             262144 |                                         0
 *             524288 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@        41
 *            1048576 |@@                                       3
 *            2097152 |                                         0
 *            4194304 |@@@@@                                    6
 *            8388608 |                                         0
 */
#pragma D option quiet
#pragma D option defaultargs

fbt::vfs_read:entry,
fbt::vfs_write:entry,
fbt::vfs_fsync_range:entry
/(!$target || progenyof($target)) && args[0]->f_inode/
{
	self->type = stringof(args[0]->f_inode->i_sb->s_type->name);
	self->begun = timestamp;
}

fbt::vfs_read:return,
fbt::vfs_write:return,
fbt::vfs_fsync_range:return
/self->begun/
{
	@time[self->type, probefunc == "vfs_read" ? "read" : probefunc == "vfs_write" ? "write" : "sync"] =
	    quantize(timestamp - self->begun);
	self->begun = 0;
	self->type = 0;
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
