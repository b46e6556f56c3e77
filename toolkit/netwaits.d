#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * netwaits.d - show the time that processes wait in calls for the network
 *
 * Usage: netwaits.d [-p PID | -c COMMAND] [SECONDS]
 *
 * Calls that accept, connect, send and receive count, and those that read and write a socket,
 * sockets within the machine too. Calls such as poll(2) wait for other things as well, and do not
 * count.
 *
 * Columns:
 *   NAME       the name of the process
 *   PID        the process
 *   CALL       the system call
 *   COUNT      how many
 *   US         microseconds in them, all together
 *
 * Example:
 *
 *   # netwaits.d 3
 *   NAME                  PID CALL            COUNT           US
 *   talks                 529 accept              1           60
 *   talks                 529 connect             1          612
 *   talks                 529 recvfrom            2           58
 *   talks                 529 read                2          119
 *   talks                 529 write               2          368
 */
#pragma D option quiet
#pragma D option defaultargs

syscall::accept:entry,
syscall::accept4:entry,
syscall::connect:entry,
syscall::recvfrom:entry,
syscall::recvmsg:entry,
syscall::recvmmsg:entry,
syscall::sendto:entry,
syscall::sendmsg:entry,
syscall::sendmmsg:entry
/!$target || progenyof($target)/
{
	self->begun = timestamp;
}

syscall::read:entry,
syscall::readv:entry,
syscall::write:entry,
syscall::writev:entry
/(!$target || progenyof($target)) && fds[arg0].fi_fs == "sockfs"/
{
	self->begun = timestamp;
}

syscall:::return
/self->begun/
{
	@count[execname, pid, probefunc] = count();
	@time[execname, pid, probefunc] = sum((timestamp - self->begun) / 1000);
	self->begun = 0;
}

END
{
	printf("%-16s %8s %-12s %8s %12s\n", "NAME", "PID", "CALL", "COUNT", "US");
	printa("%-16s %8d %-12s %@8d %@12d\n", @count, @time);
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
