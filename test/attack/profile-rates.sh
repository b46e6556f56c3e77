# SPDX-License-Identifier: MIT
# @@timeout: 60
# A user enables as many profile probes as there are names for, near the shortest interval. A limit covers the
# interrupts of all of a user's sessions, the message names it, and other users are not affected.
. ./_lib.sh
policy 'user user dtrace_user'
rates()
{
	seq 1 "$1" | awk '{ printf "%sprofile:::profile-%dns", (NR > 1 ? "," : ""), 200000 + $1 }'
}
# attack N - enable N of the probes; the case compares the limit in the message.
attack()
{
	user "dtrace -qn '$(rates "$1") { } tick-10 { exit(0); }' 2>&1" | sed 's/.*: user/user/; s/,tick.*//'
}
echo "--- within the limit"
attack 3
echo "--- beyond"
attack 4
# the order of the probes is not defined
attack 2000 | sed 's/holds [0-9]*/holds MANY/; s/with [0-9]* more/with SOME more/'
echo "--- over all sessions"
user "exec dtrace -qn 'BEGIN { printf(\"@tracing\\n\"); } $(rates 2) { }'" >"$T/first" 2>&1 &
FIRST=$!
await grep -q tracing "$T/first"
attack 3
echo "--- root"
dtrace -qn "$(rates 5) { } tick-10 { trace(\"traces\"); exit(0); }"
awk 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "INTERRUPTS") n = i } $1 == 1000 { print "held:", $n }' /proc/dtrace/users
echo "--- slow ones, with a higher limit"
echo 40000 >/sys/module/dtrace/parameters/user_interrupts
attack 3
user "dtrace -qn '$(seq 1 700 | sed 's/.*/profile:::tick-&h/' | paste -sd,) { } tick-10 { exit(0); }' 2>&1" |
	sed 's/.*: user/user/'
echo 20000 >/sys/module/dtrace/parameters/user_interrupts
kill -TERM $FIRST
wait $FIRST 2>/dev/null || true
