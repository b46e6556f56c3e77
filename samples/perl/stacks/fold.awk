# SPDX-License-Identifier: MIT
# fold.awk - from aggregations by jstack() makes one line for each stack of script functions, outermost
# first, with its count: what makers of flame graphs read. Frames of C and numbers of lines are left out.

/^ *[0-9]+$/ {
	if (stack != "")
		total[stack] += $1
	stack = ""
}

/ at .*:[0-9]+$/ {
	sub(/^ +/, "")
	sub(/:[0-9]+$/, "")
	stack = stack == "" ? $0 : $0 ";" stack
}

END {
	for (stack in total)
		print stack, total[stack]
}
