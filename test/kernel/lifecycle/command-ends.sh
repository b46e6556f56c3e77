# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# A command of -c that runs on when tracing ends is killed, its own children are not; a process of -p goes on.
. ../_lib.sh
pipes pid child
dtrace -q -c "sh -c 'sleep 1000 & echo \$! >$T/child; echo \$\$ >$T/pid; wait'" -n 'syscall::wait4:entry /pid == $target/ { exit(4); }' &
DTRACE=$!
read -r child <"$T/child"
read -r pid <"$T/pid"
wait $DTRACE
echo "status $?"
await eval '! kill -0 "$pid"' # it may still be about to end
kill "$child" && echo "its child went on"

start victim fire 1 print over
dtrace -q -p "$V" -n 'tick-100ms { exit(5); }'
echo "status $?"
finish
