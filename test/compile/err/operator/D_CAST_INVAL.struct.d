struct s { int x; };
BEGIN
{
	x = (struct s)5;
}
