/* Values of an associative array may be arrays. */
int i;
int last[int][4];
self char names[string][2][8];
BEGIN
{
	last[1][2] = 3;
	last[1][i]++;
	last[2][3] = last[1][2] + 1;
	self->names["a"][1][0] = 'x';
	printf("%d %d %d %d %s.\n", last[1][2], last[1][0], last[2][3], last[5][1], self->names["a"][1]);
	exit(0);
}
