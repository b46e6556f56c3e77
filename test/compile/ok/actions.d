/* What actions record: a DIFO per argument, none where there is nothing to compute. */
BEGIN
{
	printf("%s %d %k\n", execname, pid, stack(5));
	@[ustack(3), sym(arg0), pid] = lquantize(arg0, 0, 10, 2, arg1);
	tracemem(arg0, 16, arg1);
	system("echo %d", pid);
	exit(0);
}
