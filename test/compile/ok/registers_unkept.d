/* Registers that have a name, but no value that the kernel keeps, are 0. */
BEGIN
{
	trace(uregs[R_GS] + uregs[R_FS] + uregs[R_ES] + uregs[R_DS] + uregs[R_TRAPNO] + uregs[R_ERR]);
	trace(R_UESP == R_RSP);
}
