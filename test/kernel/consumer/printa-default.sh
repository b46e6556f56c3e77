# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# Aggregations that were not printed are printed at the end, sorted by value; distributions with a
# graph.
dtrace -q -n '
BEGIN
{
	@a["one"] = sum(1); @a["three"] = sum(3); @a["two"] = sum(2);
	@b = count(); @q = quantize(4); exit(0);
}'
