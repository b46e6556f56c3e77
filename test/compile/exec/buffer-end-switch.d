/* args: -b 230 */
/* Space for what END records is set aside in a buffer that fills only. */
BEGIN
{
	tracemem(alloca(200), 200);
	exit(0);
}

END
{
	printf("1\n");
	printf("2\n");
}
