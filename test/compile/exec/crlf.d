#pragma D option quiet
/* Lines that end as on other systems. */
BEGIN
/1/
{
	printf("line ends\n");	// and a comment
	exit(0);
}
