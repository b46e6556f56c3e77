# SPDX-License-Identifier: MIT
# @@worlds: kernel changes users
# @@long: yes
# @@kernels: 6.1 6.12
# The semaphore of a user's probe is incremented only in processes of that user: a pid probe at the
# same location in root's process is refused while the user's probe is enabled.
. ../_lib.sh
start victim guarded 2
become gid 1000 uid 1000 run victim forever &
OTHER=$!
await grep -q " victim$OTHER" /proc/dtrace/processes
session other -n "victim$OTHER:::guarded { @ = count(); }"
USERS=$SESSION
trace -n "pid$V:victim:fire_guarded: { @[probeprov] = count(); } END { printa(\"%s\\n\", @); }"
rows fasttrap | awk '$1 == "contested" { print $1, $3 }'
finish
untrace
kill -TERM $USERS
wait $USERS
kill -9 $OTHER
