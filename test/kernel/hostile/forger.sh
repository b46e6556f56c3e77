# SPDX-License-Identifier: MIT
# @@worlds: user the module keeps DOF by itself
# @@timeout: 120
# A process whose kept DOF changes all the time, or is not what it should be, only harms itself: sessions begin and
# end, list and trace the probes of another process, and count all of its firings. No name has control characters.
. ../_lib.sh
[ -n "$DTRACE_SANITIZED" ] || ulimit -v 4000000 # sanitizers reserve terabytes
pipes up one two
forger "$T/up" "$T/renamed" 0 &
read -r V <"$T/up"
dtrace -l -P "forger$V" | awk '$5 == "hit" { print $3, $4, $5 }'
: >"$T/renamed"
wait "$V"
verbs="tell $T/one wait $T/two"
sessions="1 2 3 4 5"
runtime provider app probe main a 0 enable $verbs $(for i in $sessions; do echo "fire a 100 $verbs"; done) &
for seed in 1 2 3 4 5 6 7 8 9; do
	[ -e "$T/end" ] || forger /dev/null "$T/end" $seed # which may crash
done 2>/dev/null &
read -r V <"$T/one"
for i in $sessions; do
	dtrace -l -n 'app*:::' -n 'forger*:::' 2>/dev/null | awk '$2 ~ /^app[0-9]/ { print "listed", $3, $4, $5 }'
	trace -n 'app*:::a { @ = count(); } END { printa("%@d\n", @); } forger*::: { @n = count(); }'
	echo go >"$T/two"
	read -r V <"$T/one"
	kill -TERM $TRACE
	wait $TRACE
	echo "status $?"
	grep '^[0-9][0-9]*$' "$T/trace.out"
done
: >"$T/end"
echo go >"$T/two"
wait
