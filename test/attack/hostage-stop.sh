# SPDX-License-Identifier: MIT
# A process that keeps its own address space locked has a file mapped in which a tracer has stop points. Uprobes is stuck. A
# tracer does not wait for one stop point after the other when it ends, and not at all for them when it is killed.
# @@kernels: 6.1 6.12
# @@timeout: 120
. ./_lib.sh
chmod 666 /dev/fuse	# as udev does
mount=$(mktemp -d /tmp/hostage.XXXXXX)	# not below $T, which others than root cannot enter
chown user "$mount"
pipes go
attack-hostage points <"$T/go" >"$T/points" &
points=$!
exec 3>"$T/go"
await grep -q set "$T/points"
su user -c "exec $BIN/attack-hostage hold $mount" >"$T/hold" 2>&1 &
await grep -q ^held "$T/hold"
read -r _ H S <"$T/hold"
# From here on forks wait.
echo "$S" >&3
wait $points
cat "$T/points"
rows stats | awk '$1 == "stop-late" && $2 { print "it is counted" }'
kill -KILL "$H"
gone() { ! alive "$H"; }
await gone && echo "it has ended"
rmdir "$mount"
