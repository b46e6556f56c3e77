# SPDX-License-Identifier: MIT
# A user's process with probes does not run: it is frozen by its control group, or stopped. Root traces it nevertheless, and ends. Others
# fire meanwhile. The process goes on as if nothing had happened, or is killed.
# @@kernels: 6.1 6.12
# @@timeout: 90
. ./_lib.sh
groups=$T/groups
mkdir "$groups"
mount -t cgroup2 none "$groups"
mkdir "$groups/user"

# fires - trace a program of another user.
fires() { dtrace -Zqn 'victim*:::tick /uid == 1001/ { printf("others fire\n"); exit(0); }' -c 'become gid 1001 uid 1001 run victim fire 1' | sed '/^$/d'; }

# traced HOW - trace the process while it does not run, by its number and as one of all, and end.
traced()
{
	echo "-- $1"
	trace -p $V -n 'pid$target:victim:fire_tick:entry, victim$target:::tick { n++; } END { printf("%s\n", n ? "it runs" : "it does not run"); }'
	rows fasttrap | awk '{ print $1, $2 }' | sort | uniq -c | awk '{ print $1, $2, $3 }'
	fires
	untrace
	echo "$(sites) sites left"
}
begin()
{
	become gid 1000 uid 1000 run victim forever &
	V=$!
	await grep -q " victim$V" /proc/dtrace/processes
}
is_frozen() { grep -q "frozen $1" "$groups/user/cgroup.events"; }
begin
echo $V >"$groups/user/cgroup.procs"
echo 1 >"$groups/user/cgroup.freeze"
await is_frozen 1
traced "frozen by a control group"
echo 0 >"$groups/user/cgroup.freeze"
await is_frozen 0
dtrace -qn 'victim$target:::tick { printf("it fires again\n"); exit(0); }' -p $V | sed '/^$/d'
echo 1 >"$groups/user/cgroup.freeze"
await is_frozen 1
echo "frozen and killed: $(dies $V)"
begin
kill -STOP $V
stopped() { grep -q '^State:.[Tt]' "/proc/$V/status"; }
await stopped
traced "stopped"
echo "stopped and killed: $(dies $V)"
await eval '! rows processes | grep -q victim'
rmdir "$groups/user"
umount "$groups"
