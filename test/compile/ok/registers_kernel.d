/* The kernel's registers have the names of the process's. */
BEGIN
{
	trace(regs[R_PC]);
}
