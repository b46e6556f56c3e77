#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * interrupts.d - show the time that interrupts take, by handler
 *
 * Usage: interrupts.d [-p PID | -c COMMAND] [SECONDS]
 *
 * A hard interrupt is a device's; a soft one is work that the kernel does behind it. -p and -c
 * only say how long to trace.
 *
 * Columns:
 *   KIND       hard or soft
 *   HANDLER    the name of the device, or of the kind of work
 *   COUNT      how many
 *   US         microseconds in them, all together
 *
 * Example:
 *
 *   # interrupts.d 4
 *   KIND  HANDLER                     COUNT           US
 *   hard  ttyS0                           4          226
 *   soft  RCU                            16          504
 *   soft  TIMER                         351        41289
 *   soft  SCHED                         685        33721
 */
#pragma D option quiet
#pragma D option defaultargs

sdt:irq::irq_handler_entry
{
	hard[cpu] = timestamp;
}

sdt:irq::irq_handler_exit
/hard[cpu]/
{
	@count["hard", stringof(args[1]->name)] = count();
	@time["hard", stringof(args[1]->name)] = sum((timestamp - hard[cpu]) / 1000);
	hard[cpu] = 0;
}

sdt:irq::softirq_entry
{
	soft[cpu] = timestamp;
}

sdt:irq::softirq_exit
/soft[cpu]/
{
	this->name = stringof(((char **)&`softirq_to_name)[args[0]]);
	@count["soft", this->name] = count();
	@time["soft", this->name] = sum((timestamp - soft[cpu]) / 1000);
	soft[cpu] = 0;
}

END
{
	printf("%-5s %-24s %8s %12s\n", "KIND", "HANDLER", "COUNT", "US");
	printa("%-5s %-24s %@8d %@12d\n", @count, @time);
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
