#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * rwfiles.d - count the bytes that processes read from files and write to them
 *
 * Usage: rwfiles.d [-p PID | -c COMMAND] [SECONDS]
 *
 * Files are told by the descriptor at the time of the call.
 *
 * Columns:
 *   NAME       the name of the process
 *   CALL       read or write
 *   BYTES      how many in all
 *   FILE       the path of the file
 *
 * Example:
 *
 *   # rwfiles.d -c 'dd if=/dev/zero of=/dev/null bs=9 count=100 status=none'
 *   NAME             CALL          BYTES FILE
 *   dd               read            900 /dev/zero
 *   dd               write           900 /dev/null
 */
#pragma D option quiet
#pragma D option defaultargs

syscall::read:entry, syscall::write:entry
/!$target || progenyof($target)/
{
	self->file = fds[arg0].fi_pathname;
}

syscall::read:return, syscall::write:return
/self->file != NULL && !errno/
{
	@bytes[execname, probefunc, self->file] = sum(arg0);
}

syscall::read:return, syscall::write:return
{
	self->file = 0;
}

END
{
	printf("%-16s %-6s %12s %s\n", "NAME", "CALL", "BYTES", "FILE");
	printa("%-16s %-6s %@12d %s\n", @bytes);
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
