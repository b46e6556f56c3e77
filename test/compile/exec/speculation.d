/* A speculation committed, one discarded. */
BEGIN
{
	self->s = speculation();
	printf("%d\n", self->s);
}
BEGIN
{
	speculate(self->s);
	printf("speculated\n");
}
BEGIN
{
	printf("before commit\n");
}
BEGIN
{
	commit(self->s);
}
BEGIN
{
	exit(0);
}
