struct s { int x : 3; };
struct s v;
BEGIN
{
	p = &v.x;
}
