BEGIN
{
	tracemem(curthread, pid);
}
