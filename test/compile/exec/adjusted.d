/* args: -xquiet=no -xcleanrate=10000hz */
/* dtrace reports which of the requested options the module changes. */
BEGIN
{
	exit(0);
}
