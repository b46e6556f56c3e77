# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# Aggregations left over are printed at the end, sorted by value, with a picture if they are
# distributions.
dtrace -q -n '
BEGIN
{
	@a["one"] = sum(1); @a["three"] = sum(3); @a["two"] = sum(2);
	@b = count(); @q = quantize(4); exit(0);
}'
