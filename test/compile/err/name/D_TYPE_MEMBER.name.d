struct s { int x; };
struct s v;
BEGIN
{
	v.y = 1;
}
