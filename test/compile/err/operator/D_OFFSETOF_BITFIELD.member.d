struct s { int x : 3; };
BEGIN
{
	y = offsetof(struct s, x);
}
