struct nowhere;

BEGIN
{
	trace(offsetof(struct nowhere, member));
}
