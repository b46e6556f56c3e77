BEGIN
{
	x = $nothing;
}
