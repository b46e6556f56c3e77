/* Pointers into a variable: what is stored by an expression changes the variable; differences count elements. */
int a[3], *p;
struct pair { int x, y; } s;
BEGIN
{
	*(a + 1) = 5;
	(&a[2])[0] = 7;
	*&a[0] = 3;
	*&s.y = 9;
	*(&s.y - 1) = 8;
	printf("%d %d %d %d %d\n", a[0], a[1], a[2], s.x, s.y);
	this->i = 2;
	printf("%d %d %d\n", &a[2] - &a[0], &a[this->i] - a, &a[1] == a + 1);
	printf("%d %d\n", &a[0] < &a[1], &s.y - &s.x);
	p = a;
	printf("%d %d\n", p[1], *(p + 2));
	exit(0);
}
