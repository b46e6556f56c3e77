/* Expressions whose value is not used, and which have a fault. */
struct node {
	long weight;
	struct node *next;
	int parts[4];
};
int zero;

BEGIN
{
	*(char *)1;
}

BEGIN
{
	((struct node *)2)->next;
}

BEGIN
{
	((struct node *)0)->parts[1];
}

BEGIN
{
	7 / zero;
}

BEGIN
{
	1 + 7 % zero;
}

BEGIN
{
	zero ? *(int *)4 : 0;
	printf("not reached: the branch with the fault\n");
}

ERROR
{
	printf("clause %d, fault %d, address %x\n", arg1, arg4, arg5);
}

BEGIN
{
	exit(0);
}
