# SPDX-License-Identifier: MIT
# Programs of a user register probes with the lowest priority, while others of the user take all processors: whoever has a lock of the
# module gets hardly any time. Other users' programs with probes start nevertheless, in at most four times the time that they take
# beside as many programs that only use a processor.
# @@long: yes
# @@kernels: 6.1 6.12
# @@timeout: 120
. ./_lib.sh
as="become groups 1000 gid 1000 uid 1000 run"

# started N COMMAND... - start a command twice, and wait until N commands of the user say that they run.
started()
{
	n=$1
	shift
	for i in 1 2; do
		$as "$@" >>"$T/out" 2>&1 &
		pids="$pids $!"
	done
	await eval '[ "$(grep -c go "$T/out")" = $n ]' || cat "$T/out"
}

# beside COMMAND... - set $took to the time that the other user's program takes to start and end beside two hogs and two idle commands.
beside()
{
	: >"$T/out"
	pids=
	started 2 "$@"
	for pid in $pids; do
		perl -e '$none = pack("i", 0); syscall(144, $ARGV[0] + 0, 5, $none) and die' "$pid" # sched_setscheduler: SCHED_IDLE
	done
	started 4 attack-latency hog
	become groups 1001 gid 1001 uid 1001 run attack-latency measure 5 victim fire 1 >"$T/took"
	read -r took <"$T/took"
	kill -KILL $pids
	wait $pids 2>/dev/null
	echo "$1 $2: $took us" >/dev/kmsg
}
beside attack-latency hog
hogs=$took
beside attack-latency flood
[ "$took" -le $((4 * hogs)) ] && echo "other users start programs as ever" || echo "$took us, beside hogs $hogs us"
