# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# In structured output drops are records whose counts add up; standard error has no message.
. ../_lib.sh
start victim fire 1000
trace -x oformat=json -x bufsize=2k -x switchrate=1s -n 'victim*:::tick { trace("tick"); }'
unread finish
V= # its number may occur in timestamps
untrace >"$T/all"
printed=$(grep -c '"output": \[{"value": "tick"}\]}$' "$T/all")
dropped=$(sed -n 's/.*"name": "DROP", "kind": "PRINCIPAL", "count": \([0-9]*\), .*/\1/p' "$T/all" |
	awk '{ n += $1 } END { print n + 0 }')
echo "printed and dropped: $((printed + dropped))"
[ "$printed" -gt 0 ] && [ "$dropped" -gt 0 ] && echo "some of each"
grep -v '^{"timestamp": [0-9]*, "cpu": .*}$' "$T/all"
true
