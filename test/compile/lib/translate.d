/* SPDX-License-Identifier: MIT */
/* translate.d - a D library whose parts are read only when a program uses them: some could not be. */
typedef struct pair {
	int first, second;
	string label;
} pair_t;

struct old {
	int a;
};

struct new {
	int b, c;
};

translator pair_t < struct old *P > {
	first = P->a;
	second = __exists(P->b) ? P->b : -1;
	label = "old";
};

translator pair_t < struct new *P > {
	first = __exists(P->a) ? P->a : P->b;
	second = __exists(P->missing) ? P->missing : P->c;
	label = unheard_of(P);
};

/* Used before it is defined. */
inline pair_t *old_pair[int offset] = xlate <pair_t *> ((struct old *)address[offset]);
inline pair_t new_pair[int offset] = xlate <pair_t> ((struct new *)address[offset]);
inline long address[int offset] = memory + offset;
extern long memory;

inline int hen = egg + 1;
inline int egg = hen - 1;
