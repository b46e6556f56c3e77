/* SPDX-License-Identifier: MIT */
/* Differences from classic DTrace that docs/d-language.md lists. */
struct { int a : 1; } bit;
struct { char c; int a : 3, b : 5; short s; } bits;
int a[2], i;
BEGIN
{
	printf("%d %d %d\n", sizeof (NULL), sizeof (bit), sizeof (bits));
	@keys[-1] = count();
	@keys[1] = count();
	@keys[-300] = count();
	i = -1;
}

/* Memory beyond a variable is a fault. */
BEGIN
{
	a[i] = 1;
}

BEGIN
{
	printf("%d %d\n", a[0], a[1]);
	exit(0);
}

/* The end is at once. */
BEGIN
{
	printf("not this\n");
}
