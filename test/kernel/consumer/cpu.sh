# SPDX-License-Identifier: MIT
# -x cpu records what one CPU does and nothing else, BEGIN and END included; a CPU that there is not
# is refused.
. ../_lib.sh
for cpu in 0 1; do
	: >"$T/out"
	dtrace -x cpu=$cpu -x switchrate=20ms -n 'BEGIN, END, profile-5ms { printf("%d", cpu); }' 2>/dev/null \
		>"$T/out" &
	await grep -q profile "$T/out"
	kill -TERM $!
	wait $!
	awk 'NF > 2 && $1 != "CPU" { print $1, $3 ~ /profile/ ? "profile" : $3, $4 }' "$T/out" | uniq
done
dtrace -x cpu=99 -n BEGIN 2>&1 | tail -n 1
