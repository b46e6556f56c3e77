/* args: -xaggzoom -xagghist -xaggpack -xencoding=utf8 */
/* The highest bar takes 95 of 100 parts of the space, buckets are block elements. */
BEGIN
{
	@count["sh"] = count();
	@count["bash"] = count();
	@count["bash"] = count();
	@sum[1, (char)2] = sum(5);
	@sum[2, (char)3] = sum(-20);
	@sum[3, (char)4] = sum(0);
	@max[1] = max(7);
	@quant["sh"] = quantize(10);
	@quant["sh"] = quantize(0);
	@quant["bash"] = quantize(100000);
	@quant["bash"] = quantize(100000);
	@quant["bash"] = quantize(3, -1);
	@linear = lquantize(3, 0, 10, 2);
	@linear = lquantize(11, 0, 10, 2, 3);
	printa(@count);
	exit(0);
}
