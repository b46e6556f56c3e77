/* SPDX-License-Identifier: MIT */
/* speculate() of what is no active speculation ends the clause silently, also if nothing is recorded after it. */
BEGIN
{
	x = 1;
	speculate(0);
	x = 2;
}

BEGIN
{
	speculate(1);
	x = 3;
}

BEGIN
{
	commit(1);
}

BEGIN
{
	discard(1);
}

ERROR
{
	printf("a fault\n");
}

BEGIN
{
	printf("%d\n", x);
	exit(0);
}
