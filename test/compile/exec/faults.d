/* Faults end the clause and fire ERROR. */
BEGIN
{
	printf("before\n");
	x = 5 / zero++;
	printf("never\n");
}
BEGIN
{
	x = *(int *)0;
}
ERROR
{
	printf("fault %d in action %d\n", arg4, arg2);
}
BEGIN
{
	exit(0);
}
