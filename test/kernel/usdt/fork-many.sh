# SPDX-License-Identifier: MIT
# Children of children that are forked at once are traced from their first instruction on, all of
# them.
. ../_lib.sh
trace -n 'victim*:::tick { @ = count(); } END { printa("%@d\n", @); }'
victim repeat 50 fork fork fire 1 fork fire 1 end join end fire 1 join end join end
untrace
