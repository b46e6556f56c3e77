# SPDX-License-Identifier: MIT
# Tail calls that depend on the flags are returns when they are made: with each condition, jumps that
# are taken and those that are not add up to what the program says.
. ../_lib.sh
conditions >"$T/right"
dtrace -qo "$T/seen" -c conditions -n 'pid$target:a.out:cc_*:entry, pid$target:a.out:far_*:entry { @entered[probefunc] = count(); }
pid$target:a.out:cc_*:return, pid$target:a.out:far_*:return { @left[probefunc, arg0] = count(); }
END { printa("entry %s %@d\n", @entered); printa("return %s %d %@d\n", @left); }' >"$T/traced"
cmp "$T/right" "$T/traced" && echo "the program is not disturbed"
awk '$1 == "entry" { entered[$2] = $3 }
$1 == "return" && $3 == 7 { jumps[$2] = $4 }
$1 == "return" && $3 > 7 { returns[$2] = $4 }
END { for (f in entered) printf "%s %d jumps, %d returns\n", f, jumps[f], returns[f] }' "$T/seen" |
	sort >"$T/counted"
sort "$T/right" | cmp - "$T/counted" && echo "all are counted"
wc -l <"$T/counted"
