/* args: one */
BEGIN
{
	x = 1;
}
