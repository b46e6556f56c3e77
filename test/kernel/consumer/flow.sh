# SPDX-License-Identifier: MIT
# -F indents by entry and return; probes that are neither are marked as such.
dtrace -F -n 'BEGIN { trace(1); } tick-10ms { exit(0); }' 2>/dev/null
