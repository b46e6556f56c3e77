/* args: -xbtfpath=TYPES -xnolibs */
/* SPDX-License-Identifier: MIT */
/* Types of the kernel by name, with and without the module; D's own come first. */
typedef int u32;
struct tail {
	char mine;
};

pid_t one;
u32 two;
struct file *three;
mod`module_t four;
struct mod`file *five;
kernel`pid_t six;

BEGIN
{
	trace(sizeof (struct task_struct));
	trace(offsetof(struct task_struct, comm));
	trace(sizeof (struct tail));
	trace(sizeof (struct vmlinux`tail));
	trace(sizeof (vmlinux`u32) + sizeof (D`u32));
	trace(sizeof (mod`module_t));
	trace(sizeof (struct device));
	trace(sizeof (struct mod`file));
	trace(sizeof (struct file));
	trace(sizeof (struct mod`list_head));
	trace(mod`GREEN);
	trace(sizeof (enum color));
	trace(sizeof (enum big));
	trace(sizeof (((struct packed *)0)->l));
}
