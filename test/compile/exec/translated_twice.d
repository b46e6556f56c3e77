/* Of two translations of a member the second counts. */
struct in { int i, j; };
struct out { int a, b; };
translator struct out < struct in *p > { a = p->i; b = 1; a = p->j; };
BEGIN
{
	this->in = (struct in *)alloca(sizeof (struct in));
	this->in->i = 3;
	this->in->j = 4;
	printf("%d\n", xlate <struct out> (this->in).a);
	this->o = xlate <struct out> (this->in);
	printf("%d %d\n", this->o.a, this->o.b);
	exit(0);
}
