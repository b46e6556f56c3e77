# SPDX-License-Identifier: MIT
# @@worlds: kernel registers probes by the device
# Probes at one instruction fire in the order entry, offset, return, in whatever order they were
# registered or enabled. Two registrations of a probe share it.
. ../_lib.sh
start victim sum 2
UNDER="plant $V $BIN/victim sum_eight:return:sum_even:a sum_eight:a:sum_even sum_eight:0:sum_eight
	sum_eight:entry:sum_eight --"
f="pid$V:victim:sum_eight"
trace -n "$f:return, $f:a, $f:0, $f:entry { printf(\"%s\n\", probename); }"
finish
untrace
