# SPDX-License-Identifier: MIT
# @@worlds: kernel two sessions at one process
# @@kernels: 6.1 6.12
# Pid probes in two processes of one user are at the instruction of a static probe that has a semaphore. When the static probe of one
# of them is enabled, both kinds of probes share the location.
. ../_lib.sh
start victim guarded 2
victim forever &
OTHER=$!
await grep -q " victim$OTHER" /proc/dtrace/processes
session pids -n "pid$V:victim:fire_guarded:entry { @ = count(); } pid$OTHER:victim:fire_guarded: { others++; }
	pid$V:victim:fire_guarded: { all++; } END { printa(\"%@d calls\\n\", @); }"
PIDS=$SESSION
trace -n "victim$V:::guarded { @[probeprov] = count(); } END { printa(\"%s\\n\", @); }"
rows fasttrap | awk '/contested|failed/'
finish
untrace
kill -TERM $PIDS
wait $PIDS
output pids
kill -9 $OTHER
