# SPDX-License-Identifier: MIT
# Processes of a user are in a memory control group that makes them wait for seconds whenever they allocate memory. The module allocates
# under locks that all users share: others start programs with probes, and register, in the meantime.
# @@kernels: 6.1 6.12
# @@timeout: 60
. ./_lib.sh
groups=$T/groups
mkdir "$groups"
mount -t cgroup2 none "$groups"
echo +memory >"$groups/cgroup.subtree_control"
mkdir "$groups/user"
: >"$T/attack"
# measure - how long another user's program takes to start, in us: the median of seven
measure() { become groups 1001 gid 1001 uid 1001 run attack-latency measure 7 victim fire 1; }
before=$(measure)
attacks=
for i in 1 2 3 4 5 6; do
	become groups 1000 gid 1000 uid 1000 run attack-latency flood >>"$T/attack" 2>&1 &
	attacks="$attacks $!"
	echo $! >"$groups/user/cgroup.procs"
done
all_go() { [ "$(grep -c go "$T/attack")" = 6 ]; }
await all_go || cat "$T/attack"
echo 64K >"$groups/user/memory.high"
throttled() { awk '$1 == "high" && $2 > 20 { found = 1 } END { exit !found }' "$groups/user/memory.events"; }
await throttled
took=$(measure)
[ "$took" -lt $((4 * before + 500000)) ] && echo "other users start programs as ever" || echo "others start a program in $took us, $before before"
echo max >"$groups/user/memory.high"
kill -KILL $attacks
wait $attacks 2>/dev/null
empty() { grep -q 'populated 0' "$groups/user/cgroup.events"; }
await empty
rmdir "$groups/user"
umount "$groups"
