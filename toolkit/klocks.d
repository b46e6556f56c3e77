#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * klocks.d - show who waits for locks of the kernel, where, and how long
 *
 * Usage: klocks.d [-p PID | -c COMMAND] [SECONDS]
 *
 * Mutexes and semaphores of readers and writers count, and the waits of processes that spin for a
 * mutex. Kernels for tests of locks do not tell.
 *
 * Columns:
 *   NAME       the name of the process, and the kind of lock
 *   stack      the functions of the kernel, the innermost first
 *   COUNT      how often it waits there, and the microseconds
 *
 * Example:
 *
 *   # klocks.d -c "sh -c 'seq 1000000 | wc -l'"
 *   1000000
 *   wc, mutex
 *                 vmlinux`pipe_read+0x54
 *                 vmlinux`vfs_read+0x336
 *                 vmlinux`ksys_read+0xbb
 *                 vmlinux`do_syscall_64+0x87
 *                 vmlinux`entry_SYSCALL_64_after_hwframe+0x76
 *                       1 times, 11292 us
 *
 *   wc, mutex
 *                 vmlinux`pipe_read+0x27f
 *                 vmlinux`vfs_read+0x336
 *                 vmlinux`ksys_read+0xbb
 *                 vmlinux`do_syscall_64+0x87
 *                 vmlinux`entry_SYSCALL_64_after_hwframe+0x76
 *                       4 times, 32091 us
 *
 *   seq, mutex
 *                 vmlinux`pipe_write+0x4c
 *                 vmlinux`vfs_write+0x3ae
 *                 vmlinux`ksys_write+0xbb
 *                 vmlinux`do_syscall_64+0x87
 *                 vmlinux`entry_SYSCALL_64_after_hwframe+0x76
 *                       7 times, 3671 us
 */
#pragma D option quiet
#pragma D option defaultargs

lockstat:::adaptive-block,
lockstat:::adaptive-spin,
lockstat:::rw-block
/!$target || progenyof($target)/
{
	this->kind = probename == "rw-block" ? "semaphore" : "mutex";
	@count[execname, this->kind, stack(6)] = count();
	@time[execname, this->kind, stack(6)] = sum(arg1 / 1000);
}

END
{
	printa("%s, %s%-14k%@20d times, %@d us\n\n", @count, @time);
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
