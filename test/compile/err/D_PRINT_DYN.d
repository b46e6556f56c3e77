/* print() of an object that only has members. */
struct in {
	int x;
};

struct out {
	int y;
};

translator struct out < struct in *i > {
	y = i->x;
};

BEGIN
{
	print(xlate <struct out> ((struct in *)arg0));
}
