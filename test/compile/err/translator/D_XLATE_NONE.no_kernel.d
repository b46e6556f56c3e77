/* Without the kernel's types the libraries' translators have nothing to work on. */
BEGIN
{
	trace(curpsinfo->pr_pid);
}
