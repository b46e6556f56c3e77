#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * kills.d - show each signal that a process sends to another
 *
 * Usage: kills.d [-p PID | -c COMMAND] [SECONDS]
 *
 * Signals that the kernel sends on its own, such as SIGCHLD when a child ends, do not count.
 *
 * Columns:
 *   PID        the sender
 *   NAME       its name
 *   SIGNAL     the number of the signal: see signal(7)
 *   TO         the receiver
 *   RECEIVER   its name
 *
 * Example:
 *
 *   # kills.d -c "sh -c 'sleep 9 & kill \$!; wait'"
 *        PID NAME             SIGNAL       TO RECEIVER
 *        570 sh                   15      571 sh
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%8s %-16s %6s %8s %s\n", "PID", "NAME", "SIGNAL", "TO", "RECEIVER");
}

syscall::kill:entry,
syscall::tkill:entry,
syscall::tgkill:entry,
syscall::rt_sigqueueinfo:entry,
syscall::rt_tgsigqueueinfo:entry,
syscall::pidfd_send_signal:entry
/!$target || progenyof($target)/
{
	self->sends = 1;
}

proc:::signal-send,
proc:::signal-discard
/self->sends && args[1]->pr_pid != pid/
{
	printf("%8d %-16s %6d %8d %s\n", pid, execname, args[2], args[1]->pr_pid, args[1]->pr_fname);
}

syscall::kill:return,
syscall::tkill:return,
syscall::tgkill:return,
syscall::rt_sigqueueinfo:return,
syscall::rt_tgsigqueueinfo:return,
syscall::pidfd_send_signal:return
{
	self->sends = 0;
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
