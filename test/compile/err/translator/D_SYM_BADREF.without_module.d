/* args: -xworld=user */
/* Members that only the kernel's task has need the module. */
BEGIN
{
	trace(curpsinfo->pr_psargs);
	trace(curpsinfo->pr_argc);
}
