BEGIN
//
{
	exit(0);
}
