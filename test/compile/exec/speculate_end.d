/* args: -xnspec=2 */
/* A clause may end the speculation that it adds to: what it has recorded goes with it. */
BEGIN
{
	self->s = speculation();
	self->t = speculation();
}
BEGIN
{
	speculate(self->s);
	printf("first\n");
}
BEGIN
{
	speculate(self->s);
	printf("second, %d %d\n", self->s, self->t);
	commit(self->s);
}
BEGIN
{
	speculate(self->t);
	printf("discarded\n");
	discard(self->t);
	printf("this too\n");
}
BEGIN
{
	speculate(self->t);
	printf("late\n");
}
BEGIN
{
	self->u = speculation();
	self->v = speculation();
}
BEGIN
{
	speculate(self->u);
	printf("kept after all\n");
	discard(0);
	commit(self->u);
	discard(self->u);
}
BEGIN
{
	printf("speculations %d %d\n", self->u, self->v);
	discard(0);
	exit(0);
}
