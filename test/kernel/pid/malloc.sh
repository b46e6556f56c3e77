# SPDX-License-Identifier: MIT
# malloc of a program that works in eight threads: as many returns as entries, and the program's
# result is that of an untraced run.
# @@timeout: 60
. ../_lib.sh
dtrace -qn 'pid$target:libc:malloc:entry { @e = count(); } pid$target:libc:malloc:return { @r = count(); }
END { printa("entries %@d\n", @e); printa("returns %@d\n", @r); }' -c "worker 8 2000" |
	awk '/entries/ { e = $2 } /returns/ { r = $2 } /worker/ { print }
		END { print (e >= 16000 && e == r ? "as many returns as entries" : e " " r) }'
