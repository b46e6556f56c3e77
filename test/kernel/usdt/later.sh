# SPDX-License-Identifier: MIT
# A wildcard enabling also traces processes that start after it.
. ../_lib.sh
trace -n 'victim*:::tick { @[pid] = count(); } END { printa("%@d\n", @); }'
victim fire 3
victim fire 4
victim guarded 1
untrace
