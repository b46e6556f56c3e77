/* SPDX-License-Identifier: MIT */
/* A translated pointer is NULL if what is translated is: it can be compared with that, and be a condition. */
struct in { int a; };
typedef struct out { int b; } out_t;
translator out_t < struct in *p > { b = p->a + 1; };
struct in *none, *one;

BEGIN
{
	one = (struct in *)alloca(sizeof (struct in));
	one->a = 6;
	printf("%d %d %d\n", xlate <out_t *> (none) == NULL, xlate <out_t *> (none) != 0, NULL == xlate <out_t *> (one));
	printf("%d %d\n", !xlate <out_t *> (none), !xlate <out_t *> (one));
	printf("%s ", xlate <out_t *> (none) ? "some" : "none");
	printf("%d\n", xlate <out_t *> (one) != NULL && xlate <out_t *> (one)->b == 7 ? xlate <out_t *> (one)->b : -1);
}

BEGIN
/xlate <out_t *> (none)/
{
	printf("never\n");
}

BEGIN
/!xlate <out_t *> (none) || xlate <out_t *> (none)->b/
{
	exit(0);
}
