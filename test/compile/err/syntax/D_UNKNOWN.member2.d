struct s { int x; };
BEGIN
{
	y = offsetof(struct s, z);
}
