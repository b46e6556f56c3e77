/* args: -e -d */
/* A program as it is when its ifs have become clauses. */
int x;
struct list { struct list *next; int value[4]; } *head;
BEGIN, :::END
/pid > 1 && (x == 0)/
{
	if (timestamp % 2) {
		trace("odd\t\"\n");
		@a[pid, "x"] = quantize(x++);
	} else if (((struct list *)arg0)->next->value[1])
		this->y = (int)arg1;
	else
		self->y = !x ? sizeof (int) : -1;
	@ = count();
	exit(0);
}
BEGIN
/x - ~arg0/
{
	printf("%s", stringof(arg0));
	--x;
}
