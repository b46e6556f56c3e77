# SPDX-License-Identifier: MIT
# Many providers of one process, many registrations of one probe, many locations with one value of a simple hash: the time of each is
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
