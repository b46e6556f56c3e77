/* Pointers into scratch memory: arithmetic, subscripts, casts, structs. */
struct node { int value; struct node *next; char tag[4]; };

BEGIN
{
	p = (int *)alloca(40);
	p[0] = 10; p[1] = 20; *(p + 2) = 30; *(3 + p) = 40;
	q = p + 3;
	printf("%d %d %d %d\n", *p, p[1], q[-1], *q);
	printf("%d %d %d\n", q - p, q > p, q == &p[3]);
	*p++ = 11;
	printf("%d %d\n", *p, p[-1]);
	*q += 2; ++*q;
	printf("%d\n", *q);
	b = (unsigned char *)p;
	b[0] = 0x80;
	printf("%u %d\n", b[0], (signed char)b[0]);

	n = (struct node *)alloca(sizeof(struct node));
	m = (struct node *)alloca(sizeof(struct node));
	n->value = 1; n->next = m; m->value = 2; m->next = (struct node *)0;
	n->tag[0] = 'h'; n->tag[1] = 'i';
	printf("%d %d %s\n", n->value + n->next->value, m->next == 0, n->tag);
	printf("%d %d\n", sizeof(struct node), offsetof(struct node, tag));
	bcopy(&n->value, &m->value, sizeof(int));
	printf("%d %d\n", m->value, (long)&((struct node *)0)->next);
	exit(0);
}
