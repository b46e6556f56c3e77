# SPDX-License-Identifier: MIT
# @@worlds: user the module lives on when dtrace is killed
# dtrace is killed while it begins to trace, or traces, after different times: the program goes on, and a later session of
# the same site has all hits.
. ./_resumed.sh
resume 8
for round in $(seq 15); do
	dtrace -qp $V -n 'resumed$target:::hit { @ = count(); }' >/dev/null 2>&1 &
	usleep $((round * 30000))
	kill -9 $!
	wait $! 2>/dev/null
done
all_hits 8
kill $V
