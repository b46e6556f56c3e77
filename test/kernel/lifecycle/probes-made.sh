# SPDX-License-Identifier: MIT
# @@worlds: kernel providers of the module
# Probes of the kernel that take long to make are made once a description may match them: not by BEGIN, END, a clock, or a function's
# entry, for which a description need not name a provider.
. ../_lib.sh
made()
{
	rows triggers | awk '$4 != "-" { made = 1 } END { print "stable providers: " (made ? "made" : "not made") }'
	awk '$1 == "counters-instr" { print "counters: " ($2 ? "made" : "not made") }' /proc/dtrace/stats
}
rmmod dtrace
insmod /vm/dtrace.ko
dtrace -qn 'BEGIN, END, ERROR, tick-1ms, profile-97, getpid:entry { } tick-1ms { exit(0); }'
made
dtrace -ln lwp-create | awk 'NR > 1 { print $2, $NF }'
dtrace -ln tcpListenDrop | awk 'NR > 1 { print $2, $NF }'
made
