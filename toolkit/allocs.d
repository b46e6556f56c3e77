#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * allocs.d - count the memory that processes ask the kernel for
 *
 * Usage: allocs.d [-p PID | -c COMMAND] [SECONDS]
 *
 * A library gets memory from the kernel in large pieces by brk(2) and mmap(2), and hands it out in
 * small ones. Maps of files do not count.
 *
 * Columns:
 *   NAME       the name of the process
 *   PID        the process
 *   CALL       brk or mmap
 *   COUNT      how many calls got memory
 *   BYTES      how much
 *
 * Example:
 *
 *   # allocs.d -c 'dd if=/dev/zero of=/dev/null bs=64M count=1 status=none'
 *   NAME                  PID CALL     COUNT          BYTES
 *   dd                    557 mmap         1       67108864
 */
#pragma D option quiet
#pragma D option defaultargs

syscall::brk:entry
/!$target || progenyof($target)/
{
	self->end = curthread->mm->brk;
}

syscall::brk:return
/self->end && curthread->mm->brk > self->end/
{
	@count[execname, pid, probefunc] = count();
	@bytes[execname, pid, probefunc] = sum(curthread->mm->brk - self->end);
}

syscall::brk:return
{
	self->end = 0;
}

/* MAP_ANONYMOUS */
syscall::mmap:entry
/(!$target || progenyof($target)) && arg3 & 0x20/
{
	self->size = arg1;
}

syscall::mmap:return
/self->size && !errno/
{
	@count[execname, pid, probefunc] = count();
	@bytes[execname, pid, probefunc] = sum(self->size);
}

syscall::mmap:return
{
	self->size = 0;
}

END
{
	printf("%-16s %8s %-5s %8s %14s\n", "NAME", "PID", "CALL", "COUNT", "BYTES");
	printa("%-16s %8d %-5s %@8d %@14d\n", @count, @bytes);
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
