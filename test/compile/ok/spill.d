/* More values alive than registers: some are kept in clause-local variables. */
BEGIN
{
	trace(pid + (tid + (ppid + (uid + (gid + (cpu + (ipl + (id + epid))))))));
}
