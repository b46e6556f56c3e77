/* SPDX-License-Identifier: MIT */
/* Floating-point objects hold what programs give them: D copies and prints them, it does not calculate. */
float f;
double d[2];
struct s { float a; double b; long double c; } v, w;

BEGIN
{
	*(this->bits = (uint64_t *)alloca(8)) = 0x3ff8000000000000;
	v.b = *(double *)this->bits;
	d[1] = v.b;
	w = v;
	printf("%.2f %.2f %.2f %.2f %d\n", v.b, d[1], w.b, f, sizeof (v));
	exit(0);
}
