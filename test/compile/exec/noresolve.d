/* args: -xnoresolve -xmaxframes=1 */
/* Addresses without symbols; no more frames than maxframes. */
BEGIN
{
	sym((uintptr_t)0xffffffff81000000);
	printf("%a\n", 0xffffffff81000000);
	stack(9);
	exit(0);
}
