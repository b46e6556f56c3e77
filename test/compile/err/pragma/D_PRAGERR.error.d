#error this program is not finished
BEGIN
{
	exit(0);
}
