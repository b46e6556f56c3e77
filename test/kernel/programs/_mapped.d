/* SPDX-License-Identifier: MIT */
/* Probes whose args[] are not what the program passes: in another order, fewer, more, translated. */
typedef struct item { int id; long weight; const char *name; } item_t;
typedef struct iteminfo { int ii_id; long ii_grams; string ii_name; } iteminfo_t;

provider mapped {
	probe swapped(int a, char *b) : (char *b, int a);
	probe repeated(int a) : (int a, int a);
	probe nothing(int a) : ();
	probe translated(item_t *i, int n) : (iteminfo_t *i, int n);
};
