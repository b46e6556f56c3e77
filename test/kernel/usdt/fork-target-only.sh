# SPDX-License-Identifier: MIT
# An enabling for one process does not trace its children, whose text is restored; the parent stays traced.
. ../_lib.sh
dtrace -q -c 'victim fire 1 fork fire 5 end join fire 2 text fork fire 1 text end join' \
	-n 'victim$target:::tick { @ = count(); } END { printa("%@d\n", @); }'
