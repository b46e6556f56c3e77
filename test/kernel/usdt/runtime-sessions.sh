# SPDX-License-Identifier: MIT
# @@long: ci
# @@timeout: 400
# Sessions come and go while programs make probes, fire and hide them again and again; some sessions are
# killed. The next one has the probes as the first one had, and no probe twice. A session has
# the probes of programs that make them while it begins, too.
. ../_lib.sh
pipes up one two
dtrace -qZn 'at*:::hit /!seen[pid]/ { seen[pid] = 1; printf("seen\n"); }' -x switchrate=20ms >"$T/seen" &
SESSION=$!
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
	runtime provider at probe f hit 0 enable until hit "$T/all" &
	usleep 3000
done
all_seen()
{
	[ "$(grep -c seen "$T/seen")" = 30 ]
}
await all_seen
: >"$T/all"
kill -TERM $SESSION
wait
runtime provider app probe f a 0 probe f b 0 tell "$T/up" cycle a "$T/end" &
read -r A <"$T/up"
runtime provider app many 3 enable tell "$T/one" wait "$T/two" each 3 tell "$T/one" wait "$T/two" each 3 \
	tell "$T/one" wait "$T/two" each 3 &
read -r V <"$T/one"
for i in 1 2 3 4 5 6; do
	dtrace -qZn 'app*:::a { printf("seen\n"); exit(0); }' 2>&1
	dtrace -l -n 'app*:::' 2>&1 | awk -v A="app$A" '$2 != A && $2 ~ /^app[0-9]/ { print $5 }'
done | grep . | sort | uniq -c | awk '{ print $1, $2 }'
count="app$V:::p? { @[probename] = count(); } END { printa(\"%s %@d\\n\", @); }"
trace -n "$count"
kill -KILL $TRACE
wait $TRACE 2>/dev/null
trace -n "$count"
echo go >"$T/two"
read -r V <"$T/one"
untrace >"$T/all"
sort "$T/all"
trace -n "$count"
echo go >"$T/two"
read -r V <"$T/one"
kill -KILL $TRACE
wait $TRACE 2>/dev/null
trace -n "$count"
echo go >"$T/two"
wait "$V"
untrace >"$T/all"
sort "$T/all"
: >"$T/end"
wait "$A"
