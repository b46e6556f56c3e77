/* SPDX-License-Identifier: MIT */
/* print(): each type of member. */
enum color { RED, GREEN = 5 };

struct point {
	int x;
	unsigned char y;
};

struct thing {
	struct point at[2];
	int grid[2][2];
	char name[8];
	enum color color, other;
	unsigned int low : 3;
	int high : 5;
	union {
		unsigned long long whole;
		char first;
	} u;
	void *where;
	double ratio;
};

struct thing t;

BEGIN
{
	t.at[1].x = -7;
	t.at[1].y = 200;
	t.grid[1][0] = 3;
	t.color = GREEN;
	t.other = (enum color)9;
	t.u.whole = 0x8000000000000041;
	t.where = (void *)0xffffffffdeadbeef;
	print(t);
	print(execname);
	print(-4);
	exit(0);
}
