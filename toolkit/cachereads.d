#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * cachereads.d - show how many reads of files the page cache serves, and how many need a disk
 *
 * Usage: cachereads.d [-p PID | -c COMMAND] [SECONDS]
 *
 * Reads of read(2), pread(2) and their like count, if they return data from a file on a disk. A
 * read needs the disk if it starts a transfer. That may be for data that is read ahead, so that
 * later reads find it in memory.
 *
 * Columns:
 *   NAME       the name of the process
 *   READS      reads of files
 *   BYTES      bytes that they returned
 *   DISK       reads that started a transfer
 *   TRANSFER   bytes of these transfers
 *
 * Example:
 *
 *   # cachereads.d -c 'dd if=/mnt/file of=/dev/null bs=64k status=none'
 *   NAME                READS      BYTES       DISK   TRANSFER
 *   dd                     50    3276800         26    3276800
 */
#pragma D option quiet
#pragma D option defaultargs

fbt::vfs_read:entry
/(!$target || progenyof($target)) && args[0]->f_inode && args[0]->f_inode->i_sb->s_bdev/
{
	self->reading = 1;
	self->transfer = 0;
}

io:::start
/self->reading && args[0]->b_flags & B_READ/
{
	self->transfer += args[0]->b_bcount;
}

fbt::vfs_read:return
/self->reading && (int64_t)arg1 > 0/
{
	@reads[execname] = count();
	@bytes[execname] = sum(arg1);
	@disk[execname] = sum(self->transfer > 0);
	@transfer[execname] = sum(self->transfer);
}

fbt::vfs_read:return
/self->reading/
{
	self->reading = 0;
	self->transfer = 0;
}

END
{
	printf("%-16s %8s %10s %10s %10s\n", "NAME", "READS", "BYTES", "DISK", "TRANSFER");
	printa("%-16s %@8d %@10d %@10d %@10d\n", @reads, @bytes, @disk, @transfer);
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
