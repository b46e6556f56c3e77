# SPDX-License-Identifier: MIT
# A user sees instructions of the kernel, and traces them in all processes, with the right dtrace_kernel only.
. ../_policy.sh
policy 'user user dtrace_user dtrace_proc'
user "dtrace -ln kinst::vfs_write:0" 2>&1 | sed 's/:.*//'
policy 'user user dtrace_kernel'
user "dtrace -ln kinst::vfs_write:0" | awk 'NR > 1 { print $2, $5 }'
while :; do echo >/dev/null; done &
W=$!
user "dtrace -qn 'kinst::vfs_write:0 { @ = count(); } tick-1s { exit(0); } END { printa(\"%@d\n\", @); }'" |
	awk '$1 > 0 { print "traced" }'
kill $W
wait 2>/dev/null
