# SPDX-License-Identifier: MIT
# @@worlds: kernel stack pointers that are no stack
# @@kernels: 6.1 6.12
# @@timeout: 60
# Instructions on registers leave all registers, the flags and the stack as without probes,
# whichever registers they use.
. ../_lib.sh
pipes up go
operations "$T/up" "$T/go" &
read -r V <"$T/up"
trace -n "pid$V:operations:operations:{ @ = count(); } END { printa(\"%@d\n\", @); }"
finish
untrace >"$T/count"
awk '{ print ($1 >= 18000 ? "all" : $1), "traced" }' "$T/count"
