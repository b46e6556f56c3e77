# SPDX-License-Identifier: MIT
# @@worlds: kernel stack pointers that are no stack
# @@kernels: 6.1 6.12
# @@timeout: 60
# What works on registers leaves all of them, the flags and the stack as without probes, whichever
# registers it works on.
. ../_lib.sh
pipes up go
operations "$T/up" "$T/go" &
read -r V <"$T/up"
trace -n "pid$V:operations:operations:{ @ = count(); } END { printa(\"%@d\n\", @); }"
finish
untrace >"$T/count"
awk '{ print ($1 >= 18000 ? "all" : $1), "traced" }' "$T/count"
