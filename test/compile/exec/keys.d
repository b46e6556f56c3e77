/* SPDX-License-Identifier: MIT */
/* Keys are converted to the types of the first ones; strings and structs are compared by what they hold. */
struct point { int x, y; } p, q;
string named[struct point];
int of_string[string], of_char[char], of_pointer[char *];
int many[int, string, struct point, long, unsigned char, short, string, int];
char text[6];

BEGIN
{
	p.x = 1; p.y = 2; q = p;
	named[p] = "one";
	printf("%s ", named[q]);
	q.y = 3;
	printf("%s\n", named[q] == 0 ? "none" : named[q]);
	text[0] = 'a'; text[1] = 'b';
	of_string["ab"] = 5; of_string["ab\0c"] += 2; of_string[text]++;
	printf("%d %d %d\n", of_string["ab"], of_string["a"], of_string[""]);
	of_char['a'] = 1; of_char[97 + 256] += 2;
	printf("%d %d\n", of_char['a'], of_char[0x161]);
	of_pointer[(char *)1] = 3;
	printf("%d %d\n", of_pointer[(char *)1], of_pointer[0]);
	first[1, "x"] = 1; first['\001', text] = 2;
	printf("%d %d %d\n", first[1, "x"], first[1, "ab"], first[0x100000001, "x"]);
	many[1, "a", p, 2, 3, 4, "b", 5] = 6;
	printf("%d ", many[1, "a", p, 2, 3 + 256, 4 + 65536, "b", 5 + 0x100000000]);
	printf("%d %d %d\n", many[1, "a", q, 2, 3, 4, "b", 5], many[1, "a", p, 2, 3, 4, "a", 5], many[1, "b", p, 2, 3, 4, "b", 5]);
	self->k[p, 1] = 7;
	printf("%d %d\n", self->k[p, 1], self->k[q, 1]);
	@k[p, "s", (char)300] = count(); @k[q, text, (short)-1] = count(); @k[p, "s", 44] = count();
	printa("%@d\n", @k);
}

BEGIN { exit(0); }
