# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# Values that helpers may return, and operations that they may not use: after an error, only a frame's name is missing.
. ./_lib.sh
UNWIND="-x unwind=fp"	# frames that only helpers find
for name in number empty fault kernel zero note lines pointer data if work; do
	echo "$name"
	stack 'jstack(20, 2048)' ./script load ./libscript.so run "main,$name,leaf"
done
[ "$KERNEL" = user ] || grep -E 'helper-(runs|names|faults|limits)' /proc/dtrace/stats | awk '{ print $1, ($2 ? "counted" : "none") }'
