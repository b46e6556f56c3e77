# SPDX-License-Identifier: MIT
# @@worlds: kernel changes users
# @@long: yes
# @@kernels: 6.1 6.12
# A pid probe shares the location of a user's static probe, with its semaphore, while only that user's processes have it. A probe in
# a process of root's at the same location is refused: the semaphore is not incremented there.
. ../_lib.sh
start victim guarded 2
become gid 1000 uid 1000 run victim forever &
OTHER=$!
await grep -q " victim$OTHER" /proc/dtrace/processes
contested() { rows fasttrap | awk '$1 == "contested" { n++ } END { print n + 0 }'; }
session static -n "victim$OTHER:::guarded { @ = count(); }"
STATIC=$SESSION
session shared -n "pid$OTHER:victim:fire_guarded: { @ = count(); }"
SHARED=$SESSION
echo "of the user's processes: $(contested) contested"
trace -n "pid$V:victim:fire_guarded: { @[probeprov] = count(); } END { printa(\"%s\\n\", @); }"
echo "of root's too: $(contested) contested"
finish
untrace
kill -TERM $STATIC $SHARED
wait $STATIC $SHARED
kill -9 $OTHER
