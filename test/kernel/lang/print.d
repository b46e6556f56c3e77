/* SPDX-License-Identifier: MIT */
/* @@worlds: kernel prints objects of the kernel */
/* @@kernels: 6.1 6.12 */
/* @@needs: types */
/* print() of the kernel's types: structs, unions, enumerations, functions, and pointers. */
#pragma D option quiet

BEGIN
{
	print(curthread->cred->uid);
	print(curthread->comm);
	print((enum pid_type)2);
	print(curthread);
	print(curthread->mm->arg_start > 0);
	print(*curthread->files->fdt);
	print(curthread->signal->pids);
	print(`init_task.comm);
	print(`init_task.pid);
	print((int (*)(void))&`schedule);
	print(fds[0]);
	exit(0);
}
