# SPDX-License-Identifier: MIT
# An aggregation with more keys than fit reports what it dropped.
. ../_lib.sh
start victim fire 2000
trace -x aggsize=4k -x aggrate=10s -n '
victim*:::tick { @[arg0] = count(); }
END { printa("%@d\n", @); }'
unread finish
untrace >"$T/all"
kept=$(grep -c '^1$' "$T/all")
dropped=$(sed -n 's/^dtrace: \([0-9]*\) aggregation drops* on CPU .*/\1/p' "$T/all" |
	awk '{ n += $1 } END { print n + 0 }')
echo "kept and dropped: $((kept + dropped))"
[ "$kept" -gt 0 ] && [ "$dropped" -gt 0 ] && echo "some of each"
