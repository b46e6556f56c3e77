# SPDX-License-Identifier: MIT
# @@worlds: user the module has breakpoints instead of moved instructions
# @@timeout: 60
# Every instruction of a function with all kinds of instructions is probed, while eight threads run it. The result is that of an untraced
# run. Each probe fires as often as a debugger that steps through the function stops there; instructions with `rep` fire once, not at each
# repetition. Only the instruction behind the system call, and traps, have no probe.
. ../_lib.sh
every 30 8 | grep sum >"$T/plain"
every steps 30 8 | sort >"$T/steps"
dtrace -q -c 'every 30 8' -o "$T/hits" -n 'pid$target::every: { @[probename] = count(); } END { printa("%s %@d\n", @); }' 2>"$T/err" |
	grep sum | diff "$T/plain" - && echo the same
sed -n '/^dtrace/s/.*: without \([0-9]* instruction\).*`\([a-z]*\).*/without \1: \2/p' "$T/err"
sed -n 's/.*: \([0-9]* sites cannot be traced\);.*: it is a \(trap\),.*/\1: \2/p' "$T/err"
awk 'NR == FNR { if (NF == 2) steps[$1] = $2; next }
	NF == 2 && $1 ~ /^[0-9a-f]+$/ { hits[$1] = $2 }
	END {
		for (at in steps)
			n[!(at in hits) ? "no probe" : hits[at] == steps[at] ? "as often" : hits[at] == 240 ? "once" : "wrong"]++
		for (what in n)
			if (what != "as often")
				print n[what], what
		print (n["as often"] > 150 ? "the others as often" : "few")
	}' "$T/steps" "$T/hits" | sort
