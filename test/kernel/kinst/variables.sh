# SPDX-License-Identifier: MIT
# Associative arrays and variables of threads are shared by probes at instructions and others, though the handler of a breakpoint
# looks like that of a non-maskable interrupt. No jump fits where a function ends.
. ./_lib.sh
load
dtrace -qn 'BEGIN { a["hits", 0] = 0; self->hits = 1; }
kinst:instructions:instructions_known:18 { self->hits++; a["hits", self->hits & 1]++; own = self->hits; }
END { printf("%d and %d hits, %d of the thread\n", a["hits", 0], a["hits", 1], own); }' -c "$calling" | sed '/^$/d'
unload
