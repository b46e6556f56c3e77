# SPDX-License-Identifier: MIT
# @@long: ci
# @@worlds: kernel dtrace -G --fire holds the process by ptrace, so no other dtrace can join it
# @@kernels: 6.1 6.12
# @@timeout: 90
# -G --fire: each site of a program fires once, and dtrace reads the arguments that it prints, except
# floating-point numbers, which dtrace shows as their bits.
. ../_lib.sh
for program in victim victim-called victim-static victim-static-pie victim-i386 \
	victim-i386-called operands operands-O0 operands-i386 operands-i386-O0 operands-i386-nopie; do
	dtrace -G --fire "$BIN/$program" | grep -v ':floating ' >"$T/plain"
	awk -f _fire.awk "$T/plain" >"$T/script.d"
	trace -s "$T/script.d"
	su user -c "dtrace -G --fire $BIN/$program" >"$T/traced" || echo "$program: status $?"
	untrace >"$T/unsorted"
	sort "$T/unsorted" >"$T/seen"
	grep -v ':floating ' "$T/traced" | cmp - "$T/plain"
	sed 's/18446744073709551615/-1/' "$T/plain" | sort | diff - "$T/seen"
	echo "$program: $(wc -l <"$T/seen")"
done
