# SPDX-License-Identifier: MIT
# @@timeout: 300
# Hits are interrupted by signal handlers that switch to other coroutines, or fire themselves: the program goes on, and all hits
# count. Variables that an interrupted hit holds may drop values.
. ../_lib.sh
[ "$KERNEL" = user ] && n=100000 || n=10000
for how in switch nest; do
	dtrace -q -c "coroutines $how $n" -o "$T/$how" -n '
	int v[int]; string words[int];
	coroutines$target:::hit {
		@hits = count();
		@keys[arg0 % 64] = count();
		v[arg0 % 64] = v[arg0 % 64] ? 0 : 1;
		words[arg0 % 4] = copyinstr(arg1);
	}
	END { printa("%@d hits\n", @hits); printa("key %@d\n", @keys); }' >"$T/fired" 2>"$T/said"
	sed '/dynamic variable drop/d' "$T/said"
	sed -i '/^$/d' "$T/$how"
	grep hits "$T/$how" | diff "$T/fired" - && echo "$how"
	awk '/key/ { n += $2 } END { print n " hits" }' "$T/$how" | diff "$T/fired" - && echo "$how, by keys"
done
