#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * opens.d - show the files that processes open
 *
 * Usage: opens.d [-p PID | -c COMMAND] [SECONDS]
 *
 * Also those that could not be opened.
 *
 * Columns:
 *   PID        the process
 *   NAME       its name
 *   FD         the descriptor, or -1
 *   ERRNO      why it failed, or 0: see errno(3)
 *   PATH       the path, as the process gave it
 *
 * Example:
 *
 *   # opens.d -c 'cat /etc/hostname'
 *   dtvm
 *        PID NAME               FD ERRNO PATH
 *        245 cat                 3     0 /etc/hostname
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%8s %-16s %4s %5s %s\n", "PID", "NAME", "FD", "ERRNO", "PATH");
}

syscall::open:entry, syscall::creat:entry
/!$target || progenyof($target)/
{
	self->path = arg0;
}

syscall::openat:entry, syscall::openat2:entry
/!$target || progenyof($target)/
{
	self->path = arg1;
}

syscall::open:return, syscall::creat:return, syscall::openat:return, syscall::openat2:return
/self->path/
{
	printf("%8d %-16s %4d %5d %s\n", pid, execname, errno ? -1 : (int)arg0, errno, copyinstr(self->path));
	self->path = 0;
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
