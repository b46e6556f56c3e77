/* args: -xbtfpath=TYPES -xnolibs */
/* SPDX-License-Identifier: MIT */
/* Types that other kernels have stand for Linux's own. */
kthread_t *thread;

BEGIN
{
	thread = curthread;
	trace(thread->tgid);
	trace(((proc_t *)arg0)->tgid);
	trace(sizeof (unix`klwp_t) == sizeof (struct task_struct));
	trace(sizeof (kthread_t *));
}
