/* SPDX-License-Identifier: MIT */
/* A pointer into scratch memory in a this-> variable is valid in the later clauses of the firing. */
BEGIN
{
	this->p = (int *)alloca(4 * sizeof (int));
	this->p[0] = 1;
	this->p[3] = 4;
	this->s = strjoin("one", "two");
}

/* They take scratch memory of their own, and may write to that. */
BEGIN
/this->p[3] == 4/
{
	this->q = (int *)alloca(16);
	this->q[0] = 9;
	printf("%d %d %s\n", this->p[0], this->p[3], strjoin("three", "four"));
	this->p[0] = 2;
}

BEGIN
{
	printf("%d %d %s\n", this->p[0], this->q[0], this->s);
}

/* Nor does a clause that fails take anything away. */
BEGIN
{
	trace(*(int *)NULL);
}

BEGIN
{
	printf("%d %d\n", this->p[3], this->q[0]);
}

/* More than 64 KiB are freed before the next clause, which has 256 KiB in any case. */
BEGIN
{
	this->large = (char *)alloca(65 * 1024);
	this->large[0] = 'x';
}

BEGIN
{
	this->more = (char *)alloca(256 * 1024);
	this->more[256 * 1024 - 1] = 'y';
	printf("%c\n", this->more[256 * 1024 - 1]);
}

ERROR
{
	printf("fault %d\n", arg4);
}

END
{
	printf("%d\n", this->p == NULL);
}

BEGIN
{
	exit(0);
}
