#pragma D nothing here
BEGIN
{
	exit(0);
}
