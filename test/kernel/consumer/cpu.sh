# SPDX-License-Identifier: MIT
# @@worlds: kernel profile-N, which fires on every CPU
# @@kernels: 6.1 6.12
# -x cpu records only what one CPU does, BEGIN and END included; a CPU that does not exist is
# refused.
# @@also: 6.1-rt 6.12-rt
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
# A tick fires on that CPU too, whichever other session enables it, and still once for other sessions.
session other -x switchrate=20ms -n 'tick-50ms { @ = count(); } tick-1s { printa("%@d ticks\n", @); exit(0); }'
for cpu in 0 1 1 0; do
	dtrace -q -x cpu=$cpu -x switchrate=20ms -n 'tick-50ms { printf("tick on %d of %d\n", cpu, $1); exit(0); }' $cpu | grep .
done
wait $SESSION
awk '/ticks/ { print ($1 >= 3 && $1 <= 21) ? "one tick" : $0 }' "$T/other.out"
