#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * runqlat.d - show how long threads wait for a processor, as distributions
 *
 * Usage: runqlat.d [-p PID | -c COMMAND] [SECONDS]
 *
 * The time is what passes from the moment a thread enters a run queue until it has a processor.
 *
 * Columns:
 *   NAME       the name of the process
 *   value      nanoseconds
 *   count      how often
 *
 * Example:
 *
 *   # runqlat.d -c 'sleep 1'
 *   sleep, ns
 *              value  ------------- Distribution ------------- count
 *              32768 |                                         0
 *              65536 |@@@@@@@@@@@@@@@@@@@@                     1
 *             131072 |@@@@@@@@@@@@@@@@@@@@                     1
 *             262144 |                                         0
 */
#pragma D option quiet
#pragma D option defaultargs

sched:::enqueue
{
	queued[args[0]->pr_lwpid, args[1]->pr_pid] = timestamp;
}

sched:::on-cpu
/queued[tid, pid] && (!$target || progenyof($target)) && pid/
{
	@wait[execname] = quantize(timestamp - queued[tid, pid]);
}

sched:::on-cpu
{
	queued[tid, pid] = 0;
}

END
{
	printa("%s, ns%@d\n", @wait);
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
