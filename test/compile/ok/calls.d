/* Subroutines: all arguments first, then the tuple. */
BEGIN
{
	trace(strjoin(execname, lltostr(pid, 16)));
	trace(strtok(NULL, ","));
	copyinto(arg0, 8, alloca(8));
	trace(substr("constant", 2) + "!");
}
