/* args: -xquiet=no -xcleanrate=10000hz */
/* What the module changes of the options asked for is told. */
BEGIN
{
	exit(0);
}
