# SPDX-License-Identifier: MIT
# Probes use little of a stack of Go, below which the memory of others is, also if Go's code is in a
# library that is loaded later. Hits are counted exactly, also those of signal handlers that
# interrupt hits.
. ../_lib.sh
# trace PROGRAM MODULE
trace() {
	dtrace -Zq -c "$1" -n '
		pid$target:'"$2"':small_work:entry, pid$target:'"$2"':small_leaf:entry,
		pid$target:'"$2"':small_work:return, pid$target:'"$2"':small_leaf:return
		{
			@[probefunc, probename] = count();
			@stacks[ustackdepth > 0] = count();
		}
		pid$target:'"$2"':small_signal:entry { @signals = count(); }
		END { printa("%s:%s %@d\n", @); printa("signals %@d\n", @signals); }' >"$T/out" 2>"$T/err"
	sed -n 's/^signals \([0-9]*\), \(wrong.*\)/\2/p' "$T/out"
	sed -n 's/^signals \([0-9]*\).*/\1/p' "$T/out" | uniq | wc -l
	grep : "$T/out" | sort
	cat "$T/err"
}
trace small a.out
trace small-high a.out
trace small-late libsmall.so
