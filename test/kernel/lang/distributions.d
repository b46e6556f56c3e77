/* SPDX-License-Identifier: MIT */
/* quantize, lquantize and llquantize and their pictures. */
#pragma D option quiet
BEGIN { i = -4; }
tick-2ms /i < 20/
{
	@a["quantize"] = quantize(i);
	@b["lquantize"] = lquantize(i, 0, 15, 5);
	@c["llquantize"] = llquantize(i * 10, 10, 0, 2, 10);
	i++;
}
tick-2ms /i == 20/ { exit(0); }
