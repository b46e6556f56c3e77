#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * futexes.d - show the time that processes wait for futexes
 *
 * Usage: futexes.d [-p PID | -c COMMAND] [SECONDS]
 *
 * Most locks of programs are made of futexes. Calls that wake others do not count.
 *
 * Columns:
 *   NAME       the name of the process
 *   CALLS      calls that may wait
 *   US         microseconds in them, all together
 *
 * Example:
 *
 *   # futexes.d -c 'lives threads 30'
 *   NAME                CALLS           US
 *   lives                  27        11223
 */
#pragma D option quiet
#pragma D option defaultargs

/* FUTEX_WAIT, LOCK_PI, WAIT_BITSET, WAIT_REQUEUE_PI, LOCK_PI2; other bits are flags */
syscall::futex:entry
/(!$target || progenyof($target)) && (0x2a41 >> (arg1 & 0x7f)) & 1/
{
	self->begun = timestamp;
}

syscall::futex:return
/self->begun/
{
	@calls[execname] = count();
	@time[execname] = sum((timestamp - self->begun) / 1000);
	self->begun = 0;
}

END
{
	printf("%-16s %8s %12s\n", "NAME", "CALLS", "US");
	printa("%-16s %@8d %@12d\n", @calls, @time);
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
