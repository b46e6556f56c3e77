# SPDX-License-Identifier: MIT
# Many providers of one process, many registrations or clauses of one probe, many locations with one value of a simple hash: the time of each is
# proportional to their number, since other users wait for it, and each ends when its process is killed.
# @@long: yes
# @@timeout: 60
. ./_lib.sh
su user -c "$BIN/attack-quadratic providers"
su user -c "$BIN/attack-quadratic sites"

# is_enabling - whether a session has clauses on probes: it has begun the part that takes long, or ended it.
is_enabling()
{
	rows sessions | awk '$5 > 0 { found = 1 } END { exit !found }'
}

policy 'user user dtrace_proc'
pipes go

# matched N - microseconds of a registration whose probes match N clauses of a session of the user.
matched()
{
	(echo 'BEGIN { printf("up\n"); }'; seq $1 | sed 's/.*/matched*:::p { @ = count(); }/') >"$T/clauses.d"
	su user -c "exec dtrace -qZs $T/clauses.d" >"$T/session" 2>&1 &
	session=$!
	await grep -q up "$T/session"
	su user -c "$BIN/attack-quadratic matched"
	kill $session
	wait $session
}
few=$(matched 500)
many=$(matched 4000)
[ $many -lt $((8 * few)) ] && echo "eight times as many clauses take no more than as many times as long" ||
	echo "500 clauses: $few us, 4000: $many us"

su user -c "exec $BIN/attack-quadratic collide /tmp/collide" <"$T/go" >"$T/collide" &
exec 3>"$T/go"
await grep -q . "$T/collide"
cat "$T/collide"
su user -c 'exec dtrace -q -n "collide*:::p { }"' >"$T/out" 2>&1 &
attack=$!
await is_enabling
dies $attack
cat "$T/out"
exec 3>&-
wait
rm -f /tmp/collide
