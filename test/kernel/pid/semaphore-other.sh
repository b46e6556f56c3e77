# SPDX-License-Identifier: MIT
# @@worlds: kernel changes users
# @@kernels: 6.1 6.12
# The semaphore of a user's probe is incremented only in processes of that user: of the user's probe and a
# pid probe at the same location in root's process, the one that is enabled first keeps the other away.
. ../_lib.sh
become gid 1000 uid 1000 run victim forever &
OTHER=$!
await grep -q " victim$OTHER" /proc/dtrace/processes
users() { session other -n "victim$OTHER:::guarded { @ = count(); }"; USERS=$SESSION; }
roots() { trace -n "pid$V:victim:fire_guarded: { @[probeprov] = count(); } END { printa(\"%s\\n\", @); }"; }
for first in users roots; do
	echo "-- $first first"
	start victim guarded 2
	$first
	[ $first = users ] && roots || users
	rows fasttrap | awk '$1 == "contested" { print $1, $3 }'
	finish
	untrace
	kill -TERM $USERS
	wait $USERS
done
kill -9 $OTHER
