/* SPDX-License-Identifier: MIT */
/* Bit-fields of all widths lie where C has them, are cut to their width, and keep their neighbours. */
struct fields {
	char first;
	int s1 : 1, s31 : 31;
	unsigned u1 : 1, u31 : 31;
	unsigned char c3 : 3, c6 : 6, c1 : 1;
	short : 0;
	short s9 : 9, s8 : 8;
	long l64 : 64;
	unsigned long l63 : 63, l2 : 2;
	int : 5;
	enum { NO, YES, BOTH } e : 3;
	_Bool b : 1;
	char last;
};
union word {
	unsigned all;
	unsigned low : 4;
	struct { unsigned : 4, middle : 24, high : 4; };
};
struct fields v, by[int];
union word w;
self struct fields s;

BEGIN
{
	v.s1 = -1; v.s31 = 0x7fffffff; v.u1 = 2; v.u31 = -1; v.c3 = 13; v.c6 = 0x55; v.c1 = 3; v.s9 = 0x100; v.s8 = 0x180;
	v.l64 = -5; v.l63 = -1; v.l2 = 6; v.e = BOTH; v.b = 4; v.last = 'z';
	printf("%d %d %d %d %d %d %d\n", v.s1, v.s31, v.u1, v.u31, v.c3, v.c6, v.c1);
	printf("%d %d %d %d %d %d %d %c\n", v.s9, v.s8, v.l64, v.l63, v.l2, v.e, v.b, v.last);
	tracemem(&v.first, sizeof (struct fields));
	printf("%d %d %d\n", sizeof (struct fields), offsetof(struct fields, last), sizeof (union word));
}

BEGIN
{
	printf("%d %d\n", v.s9++, v.s9);
	printf("%d %d\n", ++v.c3, v.c3);
	printf("%d %d\n", v.c3 += 4, v.c3);
	printf("%d %d\n", v.l63--, v.l2 -= 3);
	printf("%d %d\n", v.s1 = 1, v.s31 <<= 1);
	printf("%d %d %d %d %d\n", v.c6, v.c1, v.l64, v.l63, v.u31);
	w.all = 0x12345678;
	printf("%x %x %x\n", w.low, w.middle, w.high);
	w.middle = 0; w.high = 0x1f;
	printf("%x\n", w.all);
	by[1] = v; by[1].c3 = 5; by[2].s8 = -1; by[1].c6 ^= 0x3f;
	printf("%d %d %d %d %d\n", by[1].c3, by[1].c6, by[1].c1, by[2].s8, by[2].s9);
	self->s.e = YES; self->s.l2 = 3;
	printf("%d %d %d\n", self->s.e, self->s.l2, self->s.b);
	p = (struct fields *)alloca(2 * sizeof (struct fields));
	p[1] = v; p[1].u1 = 1; p[1].last--;
	printf("%d %d %c\n", p[1].u1, p[1].u31, p[1].last);
	printf("%d %d\n", v.b ? v.e : -1, v.u1 ? 1 : 2);
	exit(0);
}
