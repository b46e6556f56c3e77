BEGIN
{
	speculate(1);
	if (pid)
		trace(1);
}
