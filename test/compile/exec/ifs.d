/* if and else: parts of a clause, nested, with a predicate, with aggregations. */
BEGIN
{
	x = 5; y = 0;
}

BEGIN
/x == 5/
{
	printf("before\n");
	x = 6;
	if (x == 6) {
		printf("six\n");
		if (y)
			printf("never\n");
		else if (x > 100)
			printf("never\n");
		else {
			y = 1;
			printf("inner\n");
		}
		printf("after inner %d\n", y);
	} else
		printf("never\n");
	if (!x) ; else printf("else only\n");
	if (x && y)
		@hits[x] = count();
	printf("after\n");
}

BEGIN
/x == 5/
{
	printf("never\n");
	if (x)
		printf("never\n");
}

BEGIN
/x == 6/
{
	if (x == 5)
		printf("never\n");
	else if (x == 6)
		printf("chain\n");
	else
		printf("never\n");
}

BEGIN
{
	exit(0);
}
