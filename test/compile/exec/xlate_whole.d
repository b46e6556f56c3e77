/* A translated struct is a value: all of its members. */
typedef struct inner {
	int a;
	short b;
} inner_t;

struct raw {
	inner_t in;
	long n;
	char text[8];
};

typedef struct shown {
	uint8_t small;
	string name;
	inner_t in;
	char text[8];
	int64_t twice;
	int left_out;
	uint32_t low:4, high:4;
} shown_t;

translator shown_t < struct raw *R > {
	small = (uint8_t)R->n;
	name = R->n == 7 ? "seven" : strjoin("other ", R->text);
	in = R->in;
	text = R->text;
	twice = R->n * 2;
	low = R->n;
	high = R->n + 1;
};

translator inner_t < int i > {
	a = i;
	b = (short)(i + 1);
};

inline shown_t *given[struct raw *r] = xlate <shown_t *> (r);

shown_t kept;
inner_t both;

BEGIN
{
	this->r = (struct raw *)alloca(sizeof (struct raw));
	this->r->n = 7;
	this->r->in.a = 1;
	this->r->in.b = -2;
	this->r->text[0] = 'h';
	this->r->text[1] = 'i';
	print(xlate <shown_t> (this->r));
	this->r->n = -1;
	print(*given[this->r]);
	kept = *given[this->r];
	this->r->n = 9;
	print(kept.name);
	print(kept.twice);
	print(kept.high);
	both = xlate <inner_t> (3);
	print(both);
	printf("%d %d\n", xlate <inner_t> (5).b, sizeof (xlate <inner_t> (5)));
	exit(0);
}
