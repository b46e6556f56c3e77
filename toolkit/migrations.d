#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * migrations.d - count the moves of threads from one processor to another
 *
 * Usage: migrations.d [-p PID | -c COMMAND] [SECONDS]
 *
 * A thread may be moved by another one or in an interrupt, so the process is not asked for: -p and
 * -c only say how long to trace.
 *
 * Columns:
 *   NAME       the name of the thread
 *   PID        its process
 *   FROM       the processor that it leaves
 *   TO         the one that it comes to
 *   COUNT      how often
 *
 * Example:
 *
 *   # migrations.d -c 'counted migrations 20'
 *   40
 *   NAME                  PID FROM   TO    COUNT
 *   kworker/u8:4          123    0    1        1
 *   migrations.d          552    0    1        1
 *   migrations.d          552    1    0        1
 *   rcu_preempt            18    0    1        1
 *   rcu_tasks_trace        16    0    1        1
 *   counted               554    0    1       21
 *   counted               554    1    0       21
 */
#pragma D option quiet
#pragma D option defaultargs

sdt:sched::sched_migrate_task
{
	@moves[stringof(args[0]->comm), args[0]->tgid, args[0]->thread_info.cpu, args[1]] = count();
}

END
{
	printf("%-16s %8s %4s %4s %8s\n", "NAME", "PID", "FROM", "TO", "COUNT");
	printa("%-16s %8d %4d %4d %@8d\n", @moves);
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
