#pragma D option bufsize=many
BEGIN
{
	exit(0);
}
