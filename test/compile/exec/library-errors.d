/* args: -w */
/* An action that the consumer cannot do is reported as a fault of the clause, and the clause goes on. */
BEGIN
{
	setopt("nosuch");
	setopt("aggrate", "soon");
	setopt("bufsize", "1m");
	freopen("/no/such/file");
	printf("still here\n");
	exit(1);
}
