# SPDX-License-Identifier: MIT
# Probes at one instruction fire in the order entry, offset, return; whatever order they were
# registered or enabled in.
. ../_lib.sh
start victim sum 2
UNDER="plant $V $BIN/victim sum_eight:return:sum_even:a sum_eight:a:sum_even sum_eight:0:sum_eight
	sum_eight:entry:sum_eight --"
trace -n "pid$V:::return, pid$V:::a, pid$V:::0, pid$V:::entry { printf(\"%s\n\", probename); }"
finish
untrace
