/* << computes in 64 bits; what is stored in, or cast to, something narrower is cut there. */
int x;
uint32_t u;
BEGIN
{
	x = 1;
	this->m = 1 << 40;
	mask = 1 << 31;
	printf("%d %d %d %d\n", this->m, mask, x << 40, (x << 63) >> 63);
	printf("%d %d %d\n", (int)(x << 31), (int)(1 << 32), x << 3);
	u = 0xffffffff;
	printf("%x %x\n", u << 4, (uint32_t)(u << 4));
	u <<= 4;
	x <<= 35;
	printf("%x %d %d\n", u, x, sizeof (x << 1));
	exit(0);
}
