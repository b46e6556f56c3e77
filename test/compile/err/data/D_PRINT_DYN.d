/* print() of where a translated object would be. */
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
	print(xlate <struct out *> ((struct in *)arg0));
}
