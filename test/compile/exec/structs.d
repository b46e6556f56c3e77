/* Variables of struct type are changed member by member, and copied as a whole. */
struct point { int x, y; };
struct shape {
	struct point from, to;
	unsigned red : 3, green : 7;
	int sign : 2;
	char name[8];
	union { int i; struct { short lo, hi; }; };
	int more[3];
};
struct shape g;
struct shape byname[string];
self struct point s;
int vector[4];

BEGIN
{
	g.from.x = 1; g.to.y = -2; g.red = 9; g.green = 100; g.sign = -1; g.name[0] = 'o'; g.name[1] = 'k';
	g.i = 0x10002; g.more[2] = 77; g.more[0]++;
	printf("%d %d %d %d\n", g.from.x, g.from.y, g.to.x, g.to.y);
	printf("%d %d %d %s\n", g.red, g.green, g.sign, g.name);
	printf("%d %d %d %d %d\n", g.lo, g.hi, g.more[0], g.more[1], g.more[2]);
	h = g;
	h.from.x += 41; h.red -= 2;
	printf("%d %d %d %d\n", g.from.x, h.from.x, g.red, h.red);
	byname["a"] = h;
	byname["a"].to = byname["a"].from;
	printf("%d\n", byname["a"].to.x);
	self->s = g.to; self->s.x = 3;
	printf("%d %d\n", self->s.x, self->s.y);
	vector[1] = 5; vector[3] = vector[1] * 2;
	printf("%d %d %d %d\n", vector[0], vector[1], vector[2], vector[3]);
	printf("%d %d\n", sizeof(g), sizeof(g.more));
	exit(0);
}
