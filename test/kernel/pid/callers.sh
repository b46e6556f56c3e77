# SPDX-License-Identifier: MIT
# Where a function begins and where it returns it has no frame: its caller is not left out, whether
# frame pointers are followed or tables asked.
. ../_lib.sh
for unwind in fp tables; do
	start victim sum 2
	UNDER="plant $V $BIN/victim sum_eight:entry:sum_eight sum_eight:return:sum_even:a
		sum_eight:return:sum_odd:10 --"
	trace -x unwind=$unwind -n "
pid$V:::entry, pid$V:::return
{
	printf(\"%s\", probename);
	ufunc(ucaller);
	ustack(3);
}"
	finish
	untrace >"$T/stacks"
	sed 's/+0x[0-9a-f]*//; s/^ *//' "$T/stacks"
done
