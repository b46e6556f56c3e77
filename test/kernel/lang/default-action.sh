# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# An empty clause and a description without a clause print the probe; trace() adds its value.
dtrace -n 'BEGIN, END {} tick-10ms { trace("text"); trace(7); exit(0); }' 2>"$T/err"
cat "$T/err"
dtrace -n BEGIN -n 'tick-10ms { exit(0); }' 2>/dev/null
