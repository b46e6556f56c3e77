# SPDX-License-Identifier: MIT
# Records that find no space are counted and reported: none is lost silently.
# @@also: 6.1-rt 6.12-rt
. ../_lib.sh
start victim fire 1000
trace -x bufsize=2k -x switchrate=1s -n 'victim*:::tick { printf("tick\n"); }'
unread finish
untrace >"$T/all"
printed=$(grep -c '^tick$' "$T/all")
dropped=$(sed -n 's/^dtrace: \([0-9]*\) drops* on CPU .*/\1/p' "$T/all" |
	awk '{ n += $1 } END { print n + 0 }')
echo "printed and dropped: $((printed + dropped))"
[ "$printed" -gt 0 ] && [ "$dropped" -gt 0 ] && echo "some of each"
