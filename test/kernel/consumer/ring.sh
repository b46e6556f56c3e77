# SPDX-License-Identifier: MIT
# bufpolicy=ring keeps the last records.
. ../_lib.sh
dtrace -q -x bufpolicy=ring -x bufsize=4k -c 'victim fire 1000' -n '
victim$target:::tick { printf("%d\n", arg0); }' >"$T/out"
grep . "$T/out" >"$T/all"
tail -n 1 "$T/all"
count=$(wc -l <"$T/all")
[ "$count" -gt 50 ] && [ "$count" -lt 1000 ] && echo "some of them"
awk '$1 <= last { print "out of order" } { last = $1 }' "$T/all"
