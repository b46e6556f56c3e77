/* SPDX-License-Identifier: MIT */
/*
 * Globals, clause-locals, thread-locals and associative arrays of integers and strings, also with
 * mixed keys.
 */
#pragma D option quiet
int declared;
string name;
this int local;
self string own;
int table[int, string];

BEGIN
{
	declared = 3;
	name = "global";
	this->local = 4;
	self->own = "mine";
	table[1, "one"] = 11;
	table[1, "two"] = 12;
	table[2, "one"] = 21;
	implied["key"] = "value";
	self->array[7] = 77;
}
BEGIN
{
	printf("%d %s %d %s\n", declared, name, this->local, self->own);
	printf("%d %d %d %d\n", table[1, "one"], table[1, "two"], table[2, "one"], table[2, "two"]);
	printf("%s\n", implied["key"]);
	printf("%d %d\n", self->array[7], self->array[8]);
	table[1, "one"] = 0;
	implied["key"] = 0;
	self->own = 0;
}
BEGIN
{
	printf("%d %d %d %d\n", table[1, "one"], table[1, "two"],
	       implied["key"] == NULL, self->own == NULL);
	exit(0);
}
