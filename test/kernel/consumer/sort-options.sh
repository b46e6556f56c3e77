# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# aggsortkey and aggsortrev choose the order.
for options in '' '-x aggsortkey' '-x aggsortrev' '-x aggsortkey -x aggsortrev'; do
	dtrace -q $options -n '
BEGIN { @[3] = sum(10); @[1] = sum(20); @[2] = sum(5); exit(0); }
END { printa("%d ", @); printf("\n"); }'
done
