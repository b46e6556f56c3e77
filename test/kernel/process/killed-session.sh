# SPDX-License-Identifier: MIT
# @@worlds: user the module lives on when dtrace is killed
# dtrace is killed while it begins to trace, or traces, at one moment after another: the program lives, and a session of the
# same site after that has all hits.
. ../_lib.sh
mkfifo "$T/in" "$T/out"
resumed 8 <"$T/in" >"$T/out" &
V=$!
exec 8>"$T/in" 9<"$T/out"
for round in $(seq 15); do
	dtrace -qp $V -n 'resumed$target:::hit { @ = count(); }' >/dev/null 2>&1 &
	usleep $((round * 30000))
	kill -9 $!
	wait $! 2>/dev/null
done
echo stop >&8
read -r fired <&9
trace -p $V -n 'resumed$target:::hit { @ = count(); } END { printa("%@d\n", @); }'
echo go >&8
read -r gone <&9
echo stop >&8
read -r fired <&9
untrace >/dev/null
seen=$(grep "^[0-9]" "$T/trace.out")
[ "$seen" = "$fired" ] && [ "$fired" -ge 8 ] && echo "all hits" || { echo "seen $seen, fired $fired"; cat "$T/trace.err"; }
kill $V
