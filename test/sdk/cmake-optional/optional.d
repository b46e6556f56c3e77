/* SPDX-License-Identifier: MIT */
/* optional.d - probes of every shape; the word provider, or a probe(int), in comments is nothing. */
provider optional {
	probe none();
	probe nothing__at__all(void);
	probe several(int a, const char *b,
		unsigned long c);
	probe _private(int, void *);
};
// provider nobody { probe none(); }; and a brace }
#define optional_t int
provider second {	// with a brace }
	probe one(int);
	probe function(void (*call)(int, char *), char name[16]);
	probe mapped(int a, char *b) : (char *b, int a);
};
