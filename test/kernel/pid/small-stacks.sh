# SPDX-License-Identifier: MIT
# Probes use little of a stack of Go, below which the memory of others is. Hits are counted exactly,
# also those of signal handlers that interrupt hits.
. ../_lib.sh
for program in small small-high; do
	dtrace -q -c $program -n '
		pid$target:a.out:small_work:entry, pid$target:a.out:small_leaf:entry,
		pid$target:a.out:small_work:return, pid$target:a.out:small_leaf:return
		{
			@[probefunc, probename] = count();
			@stacks[ustackdepth > 0] = count();
		}
		pid$target:a.out:small_signal:entry { @signals = count(); }
		END { printa("%s:%s %@d\n", @); printa("signals %@d\n", @signals); }' >"$T/out" 2>"$T/err"
	sed -n 's/^signals \([0-9]*\), \(wrong.*\)/\2/p' "$T/out"
	sed -n 's/^signals \([0-9]*\).*/\1/p' "$T/out" | uniq | wc -l
	grep : "$T/out" | sort
	cat "$T/err"
done
