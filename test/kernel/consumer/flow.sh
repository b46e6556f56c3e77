# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# -F indents by entry and return; other probes are marked as such and named in full. Of several clauses,
# the first one of an entry and the last one of a return have the arrow.
dtrace -F -n 'BEGIN { trace(1); } tick-10ms { exit(0); }' 2>/dev/null
dtrace -ZF -c 'taskset 1 runtime provider flow probe outer outer-entry 0 probe inner entry 0 probe inner inner-return 0
	probe outer return 0 probe outer carpentry 0 enable fire outer-entry 1 fire carpentry 1 fire entry 1
	fire carpentry 1 fire inner-return 1 fire return 1 fire carpentry 1' -n '
flow$target::: { trace(1); }
flow$target::: { trace("two"); }' 2>/dev/null
