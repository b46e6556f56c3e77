/* The status of exit() is that of the command. */
BEGIN
{
	exit(3);
}
END
{
	printf("end\n");
}
