/* args: -xbtfpath=TYPES -xnolibs */
/* SPDX-License-Identifier: MIT */
/* Symbols of the kernel: by a declaration, by what is known of them, by their address. */
extern struct list_head mod`module_list;
extern short `untyped;

BEGIN
{
	trace(`jiffies);
	trace(&`jiffies);
	trace(vmlinux`untyped);
	trace(*(int *)&`untyped);
	trace(`init_task.tgid);
	trace(`do_work);
	trace((uint64_t)&`do_work == caller);
	trace(&mod`same);
	trace(&`same);
	trace(mod`module_list.next);
	trace(`GREEN);
	trace(vmlinux`MINUS);
	trace(vmlinux`BIG);
	trace(sizeof (`init_task));
}
