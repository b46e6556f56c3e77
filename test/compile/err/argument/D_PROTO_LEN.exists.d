/* __exists() takes one expression. */
BEGIN
{
	trace(__exists(1, 2));
}
