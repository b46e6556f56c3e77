# SPDX-License-Identifier: MIT
# A session's probes go with it, however it ends: device first, session first, kill -9; while
# another session that has the same ones keeps them.
. ../_lib.sh
start victim repeat 1000000 sum 1 end
plant "$V" "$BIN/victim" sum_eight:entry:sum_eight sum_eight:return:sum_odd:10 -- \
	dtrace -q -Zn 'BEGIN { printf("@tracing\n"); } pid*:::entry { @ = count(); } tick-100ms { printa(@); clear(@); }' >"$T/other" &
OTHER=$!
await grep -q tracing "$T/other"
release
UNDER="plant $V $BIN/victim sum_eight:entry:sum_eight sum_eight:return:sum_odd:10 --"
for end in KILL TERM INT; do
	trace -n "pid$V:::return { @ = count(); }"
	sites
	kill -$end $TRACE
	wait $TRACE 2>/dev/null
	sites
	rows probes | grep -c pid
done
kill -KILL "$OTHER"
wait "$OTHER" 2>/dev/null
sites
rows probes | awk '/ pid/'
kill "$V"
