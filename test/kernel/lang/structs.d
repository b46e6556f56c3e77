/* SPDX-License-Identifier: MIT */
/* Structs, unions, enums and typedefs of the script; user memory through copyin. */
#pragma D option quiet
struct point { char tag; short x; int y; long long z; };
typedef struct point point_t;
union word { int whole; char bytes[4]; };
enum colour { RED, GREEN = 5, BLUE };

BEGIN
{
	this->p = (point_t *)alloca(sizeof(point_t));
	this->p->tag = 'p';
	this->p->x = -2;
	this->p->y = 3;
	this->p->z = 1LL << 40;
	printf("%c %d %d %d\n", this->p->tag, this->p->x, this->p->y, this->p->z);
	this->w = (union word *)alloca(sizeof(union word));
	this->w->whole = 0x01020304;
	printf("%d %d\n", this->w->bytes[0], this->w->bytes[3]);
	printf("%d %d %d\n", RED, GREEN, BLUE);
	printf("%d %d %d\n", sizeof(point_t), offsetof(point_t, y), offsetof(struct point, z));
	exit(0);
}
