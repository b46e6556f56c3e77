# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# A clause that fails at every hit: each time that buffers are read, dtrace prints the fault once, then the number of faults.
# Tracing ends when standard error has no reader any more, and at a fault if it was closed from the beginning.
. ../_lib.sh
trace -n 'victim*:::tick { trace(*(int *)(uintptr_t)(arg0 * 4096)); }'
victim fire 5000
untrace >"$T/all"
awk '/^dtrace: error on enabled probe/ { n++; lines++ }
     /^dtrace: [0-9]+ more like this: error on enabled probe/ { n += $2; lines++ }
     END { print n, lines < 1000 ? "faults in few lines" : lines " lines" }' "$T/all"
dtrace -q -n 'tick-10ms { trace(*(int *)0); } END { printf("end\n"); }' 2>&1 >"$T/out" | head -n 1
cat "$T/out"
dtrace -q -n 'tick-10ms { trace(*(int *)0); } tick-20s { printf("goes on\n"); exit(0); } END { printf("end\n"); }' 2>&-
dtrace -n 'tick-300ms { exit(0); } END { printf("without a fault\n"); }' -q 2>&-
