# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# @@worlds: kernel probes of the kernel take long to enable; tick-joins has the user world
# @@timeout: 60
# Intervals count from BEGIN, however long the session's other probes take to enable. A session that comes later does not
# put off another one's ticks.
. ../_lib.sh
dtrace -qn 'uint64_t begin; tick-300ms { printf("%s\n", timestamp - begin >= 300000000 ? "after an interval" : "early"); exit(0); }
	fbt:vmlinux:vfs_*:entry, syscall:::entry { @ = count(); }
	BEGIN { begin = timestamp; } END { trunc(@); }' | sed /^$/d
trace -n 'uint64_t begin; tick-700ms { printf("%s\n", timestamp - begin < 1300000000 ? "on" : "off"); exit(0); } BEGIN { begin = timestamp; }'
while kill -0 $TRACE 2>/dev/null; do
	dtrace -qn 'tick-700ms, BEGIN { exit(0); }' >/dev/null
done
wait $TRACE
output
