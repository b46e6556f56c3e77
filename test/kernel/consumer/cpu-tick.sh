# SPDX-License-Identifier: MIT
# A tick fires on the CPU whose records a session requests, also if dtrace itself runs on another.
. ../_lib.sh
[ "$(nproc)" -ge 2 ] || { echo "one CPU"; exit 77; }
for cpu in 0 1; do
	taskset $((2 - cpu)) dtrace -q -x cpu=$cpu -x switchrate=20ms -n '
		tick-20ms { printf("tick on %d of %d\n", cpu, $1); exit(0); }' $cpu | grep .
done
