#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * wakers.d - show for whom processes wait: who wakes them, and after how long
 *
 * Usage: wakers.d [-p PID | -c COMMAND] [SECONDS]
 *
 * A thread sleeps until another one wakes it, or an interrupt, such as that of a timer or of a
 * disk: that counts for the thread that it interrupts, often swapper, which is an idle processor.
 *
 * Columns:
 *   NAME       the name of the process that sleeps
 *   WAKER      the name of the process that wakes it
 *   COUNT      how often
 *   US         microseconds asleep, all together
 *
 * Example:
 *
 *   # wakers.d -c 'sh -c "(sleep 1; echo go) | cat"'
 *   go
 *   NAME             WAKER               COUNT           US
 *   sh               cat                     1          823
 *   sleep            swapper/1               1      1000186
 *   cat              sh                      1      1003245
 *   sh               sleep                   1      1005881
 *   sh               sh                      1      1011977
 */
#pragma D option quiet
#pragma D option defaultargs

sched:::sleep
/(!$target || progenyof($target)) && pid/
{
	asleep[tid] = timestamp;
}

sched:::wakeup
/asleep[args[0]->pr_lwpid]/
{
	@count[args[1]->pr_fname, execname] = count();
	@time[args[1]->pr_fname, execname] = sum((timestamp - asleep[args[0]->pr_lwpid]) / 1000);
	asleep[args[0]->pr_lwpid] = 0;
}

END
{
	printf("%-16s %-16s %8s %12s\n", "NAME", "WAKER", "COUNT", "US");
	printa("%-16s %-16s %@8d %@12d\n", @count, @time);
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
