# SPDX-License-Identifier: MIT
# @@worlds: user the module puts no code into processes when a session begins
# The intervals of tick-N count from the begin of tracing, not from when dtrace begins to put code into processes.
. ../_lib.sh
start victim
dtrace -q -p $V -n '
pid$target:libc.so.6::entry { @ = count(); }
BEGIN { begin = timestamp; }
tick-50ms { printf("%s\n", timestamp - begin >= 45000000 ? "after an interval" : "early"); exit(0); }' 2>/dev/null | sed /^$/d
finish
