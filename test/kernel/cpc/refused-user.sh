# SPDX-License-Identifier: MIT
# A user who may trace the kernel needs perf's permission too: the error says so.
. ../_lib.sh
. ../_policy.sh
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
trap 'echo "$paranoid" >/proc/sys/kernel/perf_event_paranoid; rm -rf /etc/dtrace; dtrace-policy' EXIT
policy 'user user dtrace_kernel'
for level in 1 0; do
	echo $level >/proc/sys/kernel/perf_event_paranoid
	user "dtrace -qn 'cpc:::cpu_clock-user-200000,tick-10 { trace(\"traces\"); exit(0); }' 2>&1" | sed -n "s/^  //p; s/^traces/&/p"
done
