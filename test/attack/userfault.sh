# SPDX-License-Identifier: MIT
# Page faults of a user's process wait for a handler that never answers: in code that has probes, in their semaphore, in memory
# that root reads, and in DOF that it registers. Nobody else waits for that process, and it can be killed.
# @@kernels: 6.1 6.12
# @@timeout: 90
. ./_lib.sh
faults=$(cat /proc/sys/vm/unprivileged_userfaultfd)
echo 1 >/proc/sys/vm/unprivileged_userfaultfd
pipes go
su user -c "exec $BIN/attack-userfault" <"$T/go" >"$T/attack" &
V=$!
exec 3>"$T/go"
await grep -q go "$T/attack" || cat "$T/attack"
# fires WHO - trace a program of another user.
fires() { dtrace -Zqn "victim*:::tick { printf(\"$1\n\"); exit(0); }" -c 'become gid 1001 uid 1001 run victim fire 1' | sed '/^$/d'; }
trace -n 'userfault*:::p { }'
rows fasttrap | awk '{ print $1, $2 }'
untrace
trace -n 'userfault*:::q { } syscall::read:entry /execname == "attack-userfaul" && (int)arg0 == -1/ { trace(*(char *)copyin(arg1, 1)); } ERROR { exit(0); }'
fires "another user's probe fires"
echo >&3
wait $TRACE
echo "memory that faults cannot be read"
await grep -q faults "$T/attack"
fires "another user registers"
dies $V
exec 3>&-
await eval '! rows processes | grep -q userfault'
echo "$faults" >/proc/sys/vm/unprivileged_userfaultfd
rows fasttrap
