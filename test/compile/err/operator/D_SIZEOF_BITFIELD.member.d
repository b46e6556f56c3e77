struct s { int x : 3; };
struct s v;
BEGIN
{
	y = sizeof (v.x);
}
