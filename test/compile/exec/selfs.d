/* Thread-local variables and arrays; assigning 0 frees. */
self int x;
self string names[int];
BEGIN
{
	self->x = 4; self->names[1] = "one"; self->names[2] = "two"; self->t[execname] = timestamp;
	printf("%d %s %s %d\n", self->x, self->names[1], self->names[2], self->t["tester"] > 0);
	self->names[1] = 0; self->x = 0; self->t[execname] = 0;
}
BEGIN
{
	printf("%d %d %s %d\n", self->x, self->names[1] == NULL, self->names[2], self->t["tester"]);
	exit(0);
}
