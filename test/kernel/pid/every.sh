# SPDX-License-Identifier: MIT
# @@timeout: 60
# Every instruction of a function of all sorts of instructions is probed, while eight threads run
# it: the result is that of an untraced run. What has no probe, since uprobes would carry it out
# wrongly or not at all, is named.
. ../_lib.sh
every 30 8 >"$T/plain"
pipes up go
every 30 8 0 999 "$T/up" "$T/go" >"$T/traced" &
read -r V <"$T/up"
trace -n "pid$V::every:{ @ = count(); @n[probename] = count(); }
END { printa(\"%@d\n\", @); printa(\"%s %@d\n\", @n); }"
sites
finish
[ "$(cat "$T/plain")" = "$(grep sum "$T/traced")" ] && echo the same
grep -v sum "$T/traced"
untrace >"$T/counts"
awk 'NR == 1 { print ($1 > 40000 ? "many" : $1), "hits" }
	NF == 2 && $2 >= 240 { n++ }
	END { print (n > 190 ? "most" : n), "instructions" }' "$T/counts"
