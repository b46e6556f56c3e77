# SPDX-License-Identifier: MIT
# The heap (brk) and the stack of a program grow as if it were not traced: jumps lead to no page in their way.
for program in grows-pie grows-no-pie; do
	for i in 1 2 3; do
		dtrace -qn 'pid$target:a.out:fun_*:entry { @ = count(); } END { printa("%@d calls\n", @); }' \
			-c "$program 100"
	done
done
