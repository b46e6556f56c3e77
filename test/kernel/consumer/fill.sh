# SPDX-License-Identifier: MIT
# bufpolicy=fill keeps the first records.
. ../_lib.sh
dtrace -q -x bufpolicy=fill -x bufsize=4k -c 'victim fire 1000' -n '
victim$target:::tick { printf("%d\n", arg0); }' >"$T/out"
grep . "$T/out" | sort -n | head -n 1
count=$(wc -l <"$T/out")
[ "$count" -gt 50 ] && [ "$count" -lt 1000 ] && echo "some of them"
