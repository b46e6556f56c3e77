# SPDX-License-Identifier: MIT
# The header in full: macros alone on their lines, typed prototypes, tags declared, nothing else in capitals.
cat >simple.d <<'X'
typedef struct Node Node;
provider simple {
	probe saw__line(int);
	probe saw__word(const char *word, char *other, Node *n, struct tree *t, const struct tree *u);
	probe nothing();
	probe numbers(uint32_t a, size_t b, bool c, int64_t d, pid_t e, double f, unsigned char g);
	probe pointers(char **, void *, uint8_t *, uint64_t *, Unknown *, int [2], string);
	probe odd__one(Unknown u, int i);
	probe all-hyphens();
};
provider Second { probe go(int); };
X
header -s simple.d -o out-put.h.tmp
cat out-put.h.tmp
header -s simple.d
ls *.h
