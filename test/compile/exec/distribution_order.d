/* SPDX-License-Identifier: MIT */
/* Distributions are in the order of what was added, those of the same sum in that of their zeros. */
BEGIN
{
	@q["two zeros"] = quantize(0, 2);
	@q["a zero"] = quantize(0);
	@q["none"] = quantize(4);
	@q["none"] = quantize(-4);
	@q["less"] = quantize(-1);
	@q["three zeros, and more"] = quantize(0, 3);
	@q["three zeros, and more"] = quantize(1);
	printa("%s\n", @q);
	@l["two"] = lquantize(0, -3, 3, 1, 2);
	@l["one"] = lquantize(0, -3, 3, 1);
	@l["none"] = lquantize(2, -3, 3, 1);
	@l["none"] = lquantize(-2, -3, 3, 1);
	printa("%s\n", @l);
	exit(0);
}
