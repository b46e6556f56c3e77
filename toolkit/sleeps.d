#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * sleeps.d - show in which system calls processes sleep, and how long
 *
 * Usage: sleeps.d [-p PID | -c COMMAND] [SECONDS]
 *
 * The time is what passes from the moment a thread begins to wait until it has a processor again.
 *
 * Columns:
 *   NAME       the name of the process
 *   CALL       the system call, or - for a page fault or a thread of the kernel
 *   COUNT      how often it sleeps
 *   US         microseconds asleep, all together
 *
 * Example:
 *
 *   # sleeps.d -c 'sh -c "(sleep 1; echo go) | cat"'
 *   go
 *   NAME             CALL                    COUNT           US
 *   sleep            clock_nanosleep             1      1000282
 *   cat              read                        1      1003410
 *   sh               wait4                       3      2018219
 */
#pragma D option quiet
#pragma D option defaultargs

syscall:::entry
/!$target || progenyof($target)/
{
	self->call = probefunc;
}

syscall:::return
{
	self->call = 0;
}

sched:::sleep
/(!$target || progenyof($target)) && pid/
{
	self->asleep = timestamp;
}

sched:::on-cpu
/self->asleep/
{
	this->call = self->call != NULL ? self->call : "-";
	@count[execname, this->call] = count();
	@time[execname, this->call] = sum((timestamp - self->asleep) / 1000);
	self->asleep = 0;
}

END
{
	printf("%-16s %-20s %8s %12s\n", "NAME", "CALL", "COUNT", "US");
	printa("%-16s %-20s %@8d %@12d\n", @count, @time);
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
