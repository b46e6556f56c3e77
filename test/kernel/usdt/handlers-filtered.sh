# SPDX-License-Identifier: MIT
# @@worlds: user the module makes no system calls
# As handlers.sh, under a filter that does not let a program read its own memory by system calls.
# @@timeout: 90
. ../_lib.sh
for stack in "" alternate; do
	filtered dtrace -q -c "handlers $stack" -o "$T/counted$stack" -n '
	handlers$target::: { @[probename] = count(); }
	END { printa("%s %@d\n", @); }' 2>&1 >"$T/fired" | sed 's/[0-9]\+/N/g'
	sort "$T/fired" >"$T/fired.sorted"
	sed /^$/d "$T/counted$stack" | sort | diff "$T/fired.sorted" - &&
		echo "all hits ${stack:-plain}"
done
