/* SPDX-License-Identifier: MIT */
/* Arrays of strings: elements of 256 bytes, empty until they are assigned. */
string a[3];
self string b[2];
struct s { int n; string names[2]; } v;

BEGIN
{
	a[0] = "zero";
	a[2] = strjoin(a[0], "-two");
	self->b[1] = a[2];
	v.names[1] = "one";
	v.n = 2;
	this->i = 2;
	printf("%s [%s] %s %s %s %d %d %d\n", a[0], a[1], a[this->i], self->b[1], v.names[1], v.n, sizeof (a),
	    a[0] == "zero");
	a[0] = a[this->i];
	printf("%s %d %s\n", a[0], strlen(a[2]), substr(a[2], 5));
}

BEGIN
{
	print(v);
	exit(0);
}
