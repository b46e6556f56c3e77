/* SPDX-License-Identifier: MIT */
/* A cast of what is in memory is of the value that is loaded, not of its place. */
struct node { int number; void *next; long where; int value; };

BEGIN
{
	n = (struct node *)alloca(sizeof (struct node));
	m = (struct node *)alloca(sizeof (struct node));
	p = (void **)alloca(2 * sizeof (void *));
	n->next = m; n->where = (long)m; n->value = 1; m->value = 7; p[0] = n; p[1] = m;
	printf("%d %d\n", ((struct node *)n->next)->value, ((struct node *)n->where)->value);
	printf("%d %d %d\n", ((struct node *)*p)->value, ((struct node *)p[1])->value, (*(struct node *)p[1]).value);
	((struct node *)n->next)->value = 8; ((struct node *)p[0])->value += 2;
	printf("%d %d\n", m->value, n->value);
	exit(0);
}
