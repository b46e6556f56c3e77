# SPDX-License-Identifier: MIT
# An ifunc is probed where what it has chosen begins: libc's strlen, which all its callers reach.
. ../_lib.sh
dtrace -qn 'pid$target:libc:strlen:entry { @e = count(); } pid$target:libc:strlen:return { @r = count(); }
END { printa("%@d entries\n", @e); printa("%@d returns\n", @r); }' -c traced |
	awk '/entries/ { e = $1 } /returns/ { r = $1 } /sum/ { print } END { print (e > 0 && e == r ? "as many returns as entries" : e " " r) }'
