/* Constants are folded; operators become one instruction each; unsigned results are cut to their size. */
unsigned int u;
BEGIN
{
	trace(1 + 2 * 3);
	trace((pid + 4) * -tid);
	trace(u + 1);
	trace(pid / 2 % 3);
	trace((char)pid);
}
