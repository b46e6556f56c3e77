# SPDX-License-Identifier: MIT
# @@worlds: kernel pid probes of every instruction
# @@kernels: 6.1 6.12
# @@timeout: 60
# At each instruction of functions without frame pointers, the first and the return included, the callers are right.
. ./_lib.sh
callers()
{
	dtrace -q -n "pid\$target:a.out:$1: { @n[\"instructions\"] = count(); @[ustack(3)] = count(); }
		END { printa(@); printa(\"%s %@d\\n\", @n); }" -c "./frames $2" 2>&1 |
		awk '/^instructions/ { print ($2 > 4 ? "some instructions" : "too few") }
			/`/ { sub(/^ */, ""); sub(/\+.*/, ""); line = line " " $0 }
			/^ *[0-9]+$/ { stacks[line]++; line = "" }
			END { for (s in stacks) print s }' | sort
}
callers frames_middle plain
callers frames_aligned aligned
callers frames_signal signal
