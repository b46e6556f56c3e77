/* args: -xaggpack -xencoding=ascii */
/* The first and the last bucket of quantize() have no neighbour. */
BEGIN
{
	@most = quantize(0x7fffffffffffffff);
	@least = quantize(-0x7fffffffffffffff - 1);
	@both = quantize(0x7fffffffffffffff);
	@both = quantize(-0x7fffffffffffffff - 1);
	@nothing = quantize(1);
	clear(@nothing);
	exit(0);
}
