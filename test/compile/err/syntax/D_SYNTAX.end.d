BEGIN
{
	printf("%");
}
