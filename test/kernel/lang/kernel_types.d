/* SPDX-License-Identifier: MIT */
/* @@worlds: kernel types and symbols of the kernel */
/* @@needs: types */
/*
 * Types of the running kernel: the current task by curthread, and variables and functions of the
 * kernel by name.
 *
 * @@args: -q
 * @@stdout: 1 1 1 1
 * @@stdout: dtrace dtrace
 * @@stdout: 1 1 1
 * @@stdout: swapper 0
 * @@stdout: vmlinux`schedule
 * @@stdout: Linux version
 */
BEGIN
{
	printf("%d %d %d %d\n", curthread->tgid == pid, curthread->pid == tid,
	    curthread->real_parent->tgid == ppid, curthread->cred->uid.val == uid);
	printf("%s %s\n", curthread->comm, execname);
	this->files = curthread->files;
	printf("%d %d %d\n", this->files->fdt->max_fds >= 64, `nr_cpu_ids == 2,
	    `jiffies > 0);
	printf("%s %d\n", stringof(`init_task.comm) == "swapper/0" ? "swapper" : "?",
	    vmlinux`init_task.pid);
	printf("%a\n%.13s", (uint64_t)&`schedule, stringof(`linux_banner));
	exit(0);
}
