/* Assignments, with the old and the new value. */
int64_t g;
self int s;
this short t;

BEGIN
{
	g = 10; g += 5; g -= 3; g *= 4; g /= 5; g %= 7;
	printf("%d\n", g);
	g = 0xf0; g &= 0x3c; g |= 1; g ^= 0xff; g <<= 4; g >>= 2;
	printf("%d\n", g);
	printf("%d %d ", g++, g);
	printf("%d %d ", ++g, g--);
	printf("%d %d\n", --g, g);
	self->s = 7; self->s++; self->u = self->s *= 2;
	printf("%d %d\n", self->s, self->u);
	this->t = 70000;
	printf("%d %d\n", this->t, this->t = 32768);
	x = y = z = 4;
	printf("%d\n", x + y + z);
	arr["k", 1] = 5; arr["k", 1] += 6; arr["k", 2]++; --arr["k", 3];
	printf("%d %d %d %d\n", arr["k", 1], arr["k", 2], arr["k", 3], arr["none", 0]);
	i = 0; arr["i", i++] += 1;
	printf("%d %d\n", i, arr["i", 0]);
	undefined_before++;
	printf("%d\n", undefined_before);
	exit(0);
}
