/* args: -C */
/* SPDX-License-Identifier: MIT */
/*
 * Operators convert their operands as in C: first those of variables, then those of constants, which
 * must be the same.
 */
#define LINE(a, b) printf("%d %d %d %d %d  %d %d %d  %d%d%d%d%d%d  %d %d %d %d\n", \
	(a) + (b), (a) - (b), (a) * (b), (a) / (b), (a) % (b), (a) & (b), (a) | (b), (a) ^ (b), \
	(a) < (b), (a) <= (b), (a) > (b), (a) >= (b), (a) == (b), (a) != (b), \
	(a) >> 1, ~(a), -(b), one ? (a) : (b))
#define BOTH(T, a, U, b, x, y) LINE(a, b); LINE((T)x, (U)y)
#define ROW(T, a, x, y) \
	BOTH(T, a, char, rc, x, y); \
	BOTH(T, a, unsigned char, ruc, x, y); \
	BOTH(T, a, short, rs, x, y); \
	BOTH(T, a, unsigned short, rus, x, y); \
	BOTH(T, a, int, ri, x, y); \
	BOTH(T, a, unsigned int, ru, x, y); \
	BOTH(T, a, long, rl, x, y); \
	BOTH(T, a, unsigned long, rul, x, y)

char lc, rc;
unsigned char luc, ruc;
short ls, rs;
unsigned short lus, rus;
int li, ri;
unsigned int lu, ru;
long ll, rl;
unsigned long lul, rul;

BEGIN
{
	one = 1;
	lc = -3;
	rc = 200;
	luc = -3;
	ruc = 200;
	ls = -3;
	rs = 200;
	lus = -3;
	rus = 200;
	li = -3;
	ri = 200;
	lu = -3;
	ru = 200;
	ll = -3;
	rl = 200;
	lul = -3;
	rul = 200;
}
BEGIN { printf("char\n"); ROW(char, lc, -3, 200); }
BEGIN { printf("unsigned char\n"); ROW(unsigned char, luc, -3, 200); }
BEGIN { printf("short\n"); ROW(short, ls, -3, 200); }
BEGIN { printf("unsigned short\n"); ROW(unsigned short, lus, -3, 200); }
BEGIN { printf("int\n"); ROW(int, li, -3, 200); }
BEGIN { printf("unsigned int\n"); ROW(unsigned int, lu, -3, 200); }
BEGIN { printf("long\n"); ROW(long, ll, -3, 200); }
BEGIN { printf("unsigned long\n"); ROW(unsigned long, lul, -3, 200); }
BEGIN
{
	lc = -1;
	rc = -1;
	luc = -1;
	ruc = -1;
	ls = -1;
	rs = -1;
	lus = -1;
	rus = -1;
	li = -1;
	ri = -1;
	lu = -1;
	ru = -1;
	ll = -1;
	rl = -1;
	lul = -1;
	rul = -1;
}
BEGIN { printf("char\n"); ROW(char, lc, -1, -1); }
BEGIN { printf("unsigned char\n"); ROW(unsigned char, luc, -1, -1); }
BEGIN { printf("short\n"); ROW(short, ls, -1, -1); }
BEGIN { printf("unsigned short\n"); ROW(unsigned short, lus, -1, -1); }
BEGIN { printf("int\n"); ROW(int, li, -1, -1); }
BEGIN { printf("unsigned int\n"); ROW(unsigned int, lu, -1, -1); }
BEGIN { printf("long\n"); ROW(long, ll, -1, -1); }
BEGIN { printf("unsigned long\n"); ROW(unsigned long, lul, -1, -1); }
BEGIN { exit(0); }
