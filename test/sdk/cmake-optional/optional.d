/* SPDX-License-Identifier: MIT */
/* optional.d - probes of every shape; the word provider, or a probe(int), in comments is nothing. */
provider optional {
	probe none();
	probe nothing__at__all(void);
	probe several(int a, const char *b,
		unsigned long c);
};
provider second { probe one(int); };
