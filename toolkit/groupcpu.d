#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * groupcpu.d - show the time of processors by control group
 *
 * Usage: groupcpu.d [-p PID | -c COMMAND] [SECONDS]
 *
 * A container has a control group of its own.
 *
 * Columns:
 *   GROUP      the name of the control group, empty for the root
 *   COUNT      how often its threads got a processor
 *   US         microseconds on processors, all together
 *
 * Example:
 *
 *   # groupcpu.d 3
 *   GROUP                               COUNT           US
 *   shop                                    5       528246
 *                                         266        82651
 */
#pragma D option quiet
#pragma D option defaultargs

sched:::on-cpu
/(!$target || progenyof($target)) && pid/
{
	self->on = timestamp;
}

sched:::off-cpu
/self->on/
{
	this->group = stringof(curthread->cgroups->dfl_cgrp->kn->name);
	@count[this->group] = count();
	@time[this->group] = sum((timestamp - self->on) / 1000);
	self->on = 0;
}

END
{
	printf("%-32s %8s %12s\n", "GROUP", "COUNT", "US");
	printa("%-32s %@8d %@12d\n", @count, @time);
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
