BEGIN
{
	x = pid.y;
}
