/* Pointers into arrays and structures: global and clause-local ones have an address. */
struct node { int value; struct node *next; char tag[4]; };
int a[3], *p, *q;
this int *at;
char text[8];
struct node n[2], m;
this int l[4];

BEGIN
{
	p = a;
	p[0] = 7;
	q = p + 1;
	*q = 9;
	a[2] = 11;
	printf("%d %d %d %d %d\n", a[0], a[1], q[1], &a[2] - &a[0], q == &a[1]);
	this->at = this->l;
	this->at[3] = 4;
	this->at[3]++;
	printf("%d\n", this->l[3]);
	bcopy(a, this->l, sizeof(a));
	bcopy("seven", text, 6);
	printf("%d %s %d\n", this->l[2], stringof(text), strlen(text));
	n[0].next = &n[1];
	n[0].next->value = 5;
	n[0].next->tag[0] = 'x';
	p = &n[0].value;
	*p = 6;
	printf("%d %d %s\n", n[0].value, n[1].value, n[1].tag);
	m = n[0];
	*p = 0;
	printf("%d %d\n", m.value, m.next->value);
	p = a;
	exit(0);
}

/* They stay where they are from one firing to the next. */
END
{
	printf("%d %d\n", *p, *q);
	*q = 12;
	printf("%d\n", a[1]);
}
