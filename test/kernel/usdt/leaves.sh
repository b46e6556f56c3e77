# SPDX-License-Identifier: MIT
# A signal handler that leaves by siglongjmp() may interrupt a firing. Later hits of the program are traced nevertheless: at most the
# interrupted ones are missing.
# @@timeout: 90
. ../_lib.sh
dtrace -q -c leaves -n 'leaves$target:::hit { @ = count(); } END { printa("%@d\n", @); }' >"$T/out"
awk 'NF == 2 { hits = $1; handlers = $2 } NF == 1 { counted = $1 }
	END { print (handlers >= 100), (counted > 0), (counted <= hits), (hits - counted <= handlers) }' "$T/out"
