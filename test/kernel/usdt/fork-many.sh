# SPDX-License-Identifier: MIT
# Children that are forked at once, and their children, are all traced from their first instruction
# on.
. ../_lib.sh
[ "$KERNEL" = debug ] && times=15 || times=50
trace -n 'victim*:::tick { @ = count(); } END { printa("%@d\n", @); }'
victim repeat $times fork fork fire 1 fork fire 1 end join end fire 1 join end join end
untrace >"$T/times"
awk -v times=$times '{ print $1 / times, "each time" }' "$T/times"
