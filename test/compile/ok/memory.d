/* Loads by size and sign, bit-fields, members of members, and a struct variable changed in part. */
struct in { short s; unsigned char c; int bits : 5; };
struct out { long l; struct in in[2]; };
struct out *p;
struct out v;
BEGIN
{
	trace(p->in[1].s);
	trace(p->in[pid].bits);
	trace(&p->in[1].c);
	trace(p->in[0]);
	v.in[1].c = 7;
}
