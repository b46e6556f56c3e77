# SPDX-License-Identifier: MIT
# An enabling for one process leaves its children alone, text and all; the parent stays traced.
. ../_lib.sh
dtrace -q -c 'victim fire 1 fork fire 5 end join fire 2 text fork fire 1 text end join' \
	-n 'victim$target:::tick { @ = count(); } END { printa("%@d\n", @); }'
