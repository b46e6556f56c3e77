# SPDX-License-Identifier: MIT
# Probes in signal handlers fire, also if the signals interrupt firings, and if the handlers run on alternate stacks: no hit is missed,
# and those that are interrupted are complete.
# @@timeout: 90
. ../_lib.sh
for stack in "" alternate; do
	dtrace -q -c "handlers $stack" -o "$T/counted$stack" -n '
	handlers$target::: { @[probename] = count(); }
	END { printa("%s %@d\n", @); }' 2>&1 >"$T/fired" | sed 's/[0-9]\+/N/g'
	sort "$T/fired" >"$T/fired.sorted"
	sed /^$/d "$T/counted$stack" | sort | diff "$T/fired.sorted" - && echo "all hits ${stack:-plain}"
done
