# SPDX-License-Identifier: MIT
# @@long: ci
# @@worlds: kernel what uprobes cannot step over, and /proc/dtrace
# @@timeout: 60
# Every instruction of a function with all kinds of instructions is probed, while eight threads run
# it. The result is that of an untraced run. Each probe fires as often as a debugger that steps
# through the function stops there: no hit is lost, none is too many. Instructions without a probe,
# which uprobes would execute wrongly or not at all, are listed.
. ../_lib.sh
rounds=30
[ "$KERNEL" = debug ] && rounds=8
every $rounds 8 >"$T/plain"
every steps $rounds 8 | sort >"$T/steps"
pipes up go
every $rounds 8 0 999 "$T/up" "$T/go" >"$T/traced" &
read -r V <"$T/up"
trace -n "pid$V::every:{ @[probename] = count(); }
END { printa(\"%s %@d\n\", @); }"
rows fasttrap | awk '{ n[$2 == 0 ? "probes" : "refused"]++ } END { for (what in n) print n[what], what }' | sort
finish
kill -TERM $TRACE
wait $TRACE
[ "$(grep sum "$T/plain")" = "$(grep sum "$T/traced")" ] && echo the same
sed -n '/^no probe/d; /sum/!p' "$T/traced"
sed -n 's/^no probe [0-9a-f]* /no probe: /p' "$T/traced"

# print how often each call has an entry and a return: a ret, or a jump that may be a tail call
awk -v calls=$((8 * rounds)) '/^(entry|return) / { print $1, $2 / calls }' "$T/trace.out" | sort
grep '^[0-9a-f]* [0-9]*$' "$T/trace.out" | sort >"$T/hits"
sed -n 's/^no probe \([0-9a-f]*\) .*/^\1 /p' "$T/traced" | grep -v -f - "$T/steps" >"$T/wanted"
[ -s "$T/wanted" ] && diff "$T/wanted" "$T/hits" && echo "$(wc -l <"$T/hits") fire as often as they are carried out"
