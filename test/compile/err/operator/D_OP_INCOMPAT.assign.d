string s;
BEGIN
{
	s = 5;
}
