/* A storage class and a name declare an int. */
self x; this y, z;
extern w;
BEGIN
{
	self->x = 1 << 31;
	this->y = -1;
	w = 3;
	printf("%d %d %d %d %d\n", self->x, this->y, w, sizeof (self->x), sizeof (w));
	exit(0);
}
