#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * offcpu.d - show where processes wait, with the stacks of the kernel
 *
 * Usage: offcpu.d [-p PID | -c COMMAND] [SECONDS]
 *
 * The time is what passes from the moment a thread leaves the processor until it has one again.
 *
 * Columns:
 *   NAME       the name of the process
 *   stack      the functions of the kernel, the innermost first
 *   US         microseconds in all
 *
 * Example:
 *
 *   # offcpu.d -c 'sleep 1'
 *   sleep
 *                 vmlinux`finish_task_switch.isra.0+0x5
 *                 vmlinux`__schedule+0x4e8
 *                 vmlinux`schedule+0x27
 *                 vmlinux`do_nanosleep+0x7a
 *                 vmlinux`hrtimer_nanosleep+0xa1
 *                 vmlinux`common_nsleep+0x43
 *                 vmlinux`__x64_sys_clock_nanosleep+0xde
 *                 vmlinux`do_syscall_64+0x87
 *                 vmlinux`entry_SYSCALL_64_after_hwframe+0x76
 *                  1004084 us
 */
#pragma D option quiet
#pragma D option defaultargs

sched:::off-cpu
/(!$target || progenyof($target)) && pid/
{
	self->left = timestamp;
}

sched:::on-cpu
/self->left/
{
	@waited[execname, stack()] = sum((timestamp - self->left) / 1000);
	self->left = 0;
}

END
{
	trunc(@waited, 20);
	printa("%s%-14k%@22d us\n\n", @waited);
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
