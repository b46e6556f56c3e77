# SPDX-License-Identifier: MIT
# @@worlds: user profile-N of the kernel fires by the clock
# @@timeout: 120
# In the user world profile-N samples threads by their CPU time. The samples of a program's threads and children, with those that
# are reported as missing, agree with the run time that it prints; its functions have their shares; a thread that sleeps has none.
[ ! -e /test/guest-run ] || { echo "the timer of an emulated processor fires too seldom"; exit 77; }

# near NAME GOT WANTED - GOT is within a quarter of WANTED.
near()
{
	awk -v "name=$1" -v "got=$2" -v "wanted=$3" 'BEGIN {
		if (got > wanted * 0.75 && got < wanted * 1.25)
			print name, "agree"
		else
			print name, "differ:", got, "of", wanted
	}'
}

dtrace -qn '
	profile-499 /pid == $target/ { @own = count(); }
	profile-499 /ppid == $target/ { @child = count(); }
	profile-499 /pid == $target && arg1 != uregs[R_PC]/ { @odd = count(); }
	END { printa("own %@d\n", @own); printa("child %@d\n", @child); printa("odd %@d\n", @odd); }' \
	-c "$BIN/burner 8 2" >"$T/out" 2>"$T/err"
set -- $(awk '/^burnt/ { self = $2; children = $3 } /^own/ { own = $2 } /^child/ { child = $2 }
	END { print own + 0, self + 0, child + 0, children + 0 }' "$T/out")
near threads "$1" $(($2 * 499 / 1000))
near children "$3" $(($4 * 499 / 1000))
grep odd "$T/out"

dtrace -qn 'profile-499 /pid == $target/ { @[ustack(20)] = count(); }' -c "$BIN/burner 1" >"$T/stacks" 2>"$T/err"
awk '/burner`much\+/ { where = "much" } /burner`little\+/ { where = "little" } /`burn\+/ { whole++ }
	NF == 1 && /^ *[0-9]+$/ { n[where] += $1; where = "" }
	END {
		share = n["little"] ? n["much"] / n["little"] : 0
		print (share > 2 && share < 4.5 ? "shares agree" : "shares differ: " share), (whole ? "whole" : "broken")
	}' "$T/stacks"

dtrace -qn 'profile-499 /pid == $target && execname == "burner"/ { exit(0); }' -c "sh -c 'exec $BIN/burner 1'" >/dev/null && echo "exec is followed"
dtrace -qn 'profile-997 /pid == $target && execname == "sleep"/ { n++; } END { printf("sleeping: %s\n", n < 20 ? "none" : "many"); }' -c "sleep 1" | grep sleeping
