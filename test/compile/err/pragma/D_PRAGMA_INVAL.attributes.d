#pragma D attributes Good/Bad/Ugly provider p provider
BEGIN
{
	exit(0);
}
