# SPDX-License-Identifier: MIT
# While the text of the whole kernel is patched for root, which takes seconds, programs with probes start and end
# without delay, also those that a session traces.
# @@long: yes
# @@kernels: 6.1 6.12
# @@timeout: 200
. ./_lib.sh
session watch -n 'victim*:::tick { @ = count(); } END { printa("%@d\n", @); }'
WATCH=$SESSION
: >"$T/many.out"
dtrace -q -n 'BEGIN { printf("@tracing\n"); } fbt:::entry { @ = count(); }' >"$T/many.out" 2>&1 &
MANY=$!
n=0
until is_tracing $MANY "$T/many.out" || [ $n = 1000 ]; do
	victim fire 1
	n=$((n + 1))
done
kill -INT $MANY
wait $MANY
[ $n -ge 10 ] && echo "programs start meanwhile" || echo "only $n programs have started meanwhile"
kill -INT $WATCH
wait $WATCH
[ "$(grep -x '[0-9][0-9]*' "$T/watch.out")" = $n ] && echo "each has fired" || cat "$T/watch.out"
