# SPDX-License-Identifier: MIT
# @@worlds: kernel two sessions at one process
# @@long: yes
# A session's probes are removed with it, however it ends; another session with the same probes
# keeps them.
. ../_lib.sh
start victim repeat 1000000 sum 1 end
f="pid$V:victim:sum_eight"
session other -n "$f:entry { @ = count(); }"
OTHER=$SESSION
release
for end in KILL TERM; do
	trace -n "$f:entry, $f:return { @ = count(); }"
	sites
	kill -$end $TRACE
	wait $TRACE 2>/dev/null
	sites
	rows probes | grep -c ' pid[0-9*]'
done
kill -KILL "$OTHER"
wait "$OTHER" 2>/dev/null
sites
rows probes | awk '/ pid/'
kill "$V"
