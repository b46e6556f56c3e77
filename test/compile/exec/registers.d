/* args: -xiregs=5 */
/* With few registers values are spilled, and the result is the same. */
BEGIN
{
	x = 3;
	printf("%d\n", (x + 1) * ((x + 2) * ((x + 3) - ((x + 4) / ((x + 5) - (x + (x - (x * x))))))) );
	printf("%d\n", (3 + 1) * ((3 + 2) * ((3 + 3) - ((3 + 4) / ((3 + 5) - (3 + (3 - (3 * 3))))))) );
	exit(0);
}
