# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# Where a function begins and where it returns it has no frame. Stacks still contain its caller, by
# frame pointers and by unwind tables.
. ../_lib.sh
for unwind in fp tables; do
	[ -p "$T/end" ] || pipes end
	start victim sum 2 print done wait "$T/end"
	f="pid$V:victim:sum_eight"
	trace -x unwind=$unwind -n "$f:entry, $f:return
{
	printf(\"%s\n\", probename);
	ufunc(ucaller);
	ustack(3);
}"
	release
	await grep -q run_verbs "$T/trace.out"
	kill -TERM $TRACE
	wait $TRACE
	sed -i 's/+0x[0-9a-f]*//' "$T/trace.out"	# an offset may have the digits of the pid
	output >"$T/stacks"
	echo >"$T/end"
	wait "$V"
	sed 's/^ *//; s/ *$//' "$T/stacks" | uniq
done
