/* 0 is no speculation, one that ended takes nothing; a number that is none is a fault. */
BEGIN
{
	spec = speculation();
}

BEGIN
{
	speculate(0);
	printf("to none\n");
}

BEGIN
{
	commit(0);
	discard(0);
}

BEGIN
{
	speculate(spec);
	printf("committed\n");
}

BEGIN
{
	commit(spec);
	discard(spec);
}

BEGIN
{
	speculate(spec);
	printf("to one that has ended\n");
}

BEGIN
{
	speculate(7);
	printf("to one that there is not\n");
}

BEGIN
{
	commit(8);
}

BEGIN
{
	discard(-1);
}

ERROR
{
	printf("clause %d, action %d, fault %d\n", arg1, arg2, arg4);
}

BEGIN
{
	exit(0);
}
