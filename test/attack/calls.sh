# SPDX-License-Identifier: MIT
# A user's requests interrupt another processor: BEGIN and END of sessions that trace on it only, and reading its buffers. The limit of
# a user's time in interrupts covers them: with a hundredth of each processor, requests wait. A call takes at least 2,000 ns, BEGIN here a
# few milliseconds. A limit of 0 leaves requests that hundredth: sessions end all the same.
# @@kernels: 6.1 6.12
# @@timeout: 60
. ./_lib.sh
share=/sys/module/dtrace/parameters/user_interrupt_share
before=$(cat $share)
policy 'user user dtrace_proc'
echo 1 >$share

# attack WHAT MOST - print whether the user gets at most so many calls in three seconds.
attack()
{
	become groups 1000 gid 1000 uid 1000 run attack-calls "$1" 1 >"$T/done" 2>&1 || cat "$T/done"
	read -r done <"$T/done"
	[ "$done" -le "$2" ] && echo "$1: as many as the limit permits" || echo "$1: $done calls"
}
attack snapshots 20000
attack begin 30
echo 0 >$share
su user -c 'timeout -s KILL 30 dtrace -qn "BEGIN { printf(\"a session ends\"); exit(0); }"'
echo "$before" >$share
