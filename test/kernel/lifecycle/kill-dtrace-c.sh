# SPDX-License-Identifier: MIT
# A program that dtrace -c started goes on by itself when dtrace is killed with -9.
. ../_lib.sh
pipes up go
dtrace -q -c "victim tell $T/up wait $T/go fire 2 text print over" -n '
victim$target:::tick { printf("tick\n"); }' &
TRACE=$!
read -r V <"$T/up"
kill -KILL $TRACE
wait $TRACE 2>/dev/null
release
await eval '! kill -0 $V'
