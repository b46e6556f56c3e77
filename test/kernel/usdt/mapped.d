/* SPDX-License-Identifier: MIT */
/* args[] are as in the provider file: mapped, with its types, and translated; argN is mapped, too. */
/* @@args: -q -c mapped */
typedef struct item { int id; long weight; uintptr_t name; } item_t;
typedef struct iteminfo { int ii_id; long ii_grams; string ii_name; } iteminfo_t;

translator iteminfo_t < item_t *i > {
	ii_id = *(int *)copyin((uintptr_t)&i->id, sizeof(int));
	ii_grams = 1000 * *(long *)copyin((uintptr_t)&i->weight, sizeof(long));
	ii_name = copyinstr(*(uintptr_t *)copyin((uintptr_t)&i->name, sizeof(uintptr_t)));
};

mapped$target:::swapped
{
	printf("%s %d, %s %d\n", copyinstr(arg0), (int)arg1, copyinstr((uintptr_t)args[0]), args[1]);
}

mapped$target:::repeated
{
	printf("%d %d\n", args[0], args[1]);
}

mapped$target:::nothing
{
	printf("%d\n", (int)arg0);
}

mapped$target:::translated
{
	printf("%d %d %s %d\n", args[0]->ii_id, args[0]->ii_grams, args[0]->ii_name, args[1]);
}
