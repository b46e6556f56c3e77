/* args: -xbtfpath=TYPES -xnolibs */
/* Members that threads of other systems have. */
BEGIN
{
	trace(((kthread_t *)curthread)->t_procp);
}
