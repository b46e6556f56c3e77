/* A declaration may need a variable that a clause before it assigns. */
BEGIN
{
	x = 5;
	word = (x) * 2;
	y[x] = 7;
}

inline int next = x + 1;

BEGIN
{
	printf("%d %d %d\n", next, (word), y[5]);
	exit(0);
}
