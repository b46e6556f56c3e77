# SPDX-License-Identifier: MIT
# @@worlds: user the module has cases of its own about containers
# Namespaces of users, processes, mounts and networks, made by an ordinary user: dtrace and the process in the same ones, or
# one of them outside. In a user namespace, no process may trace processes outside.
# @@timeout: 120
unshare --user true 2>/dev/null || { echo "no namespaces of users here, as in a chroot"; exit 77; }
. ./_join.sh
inside() { unshare --user --map-root-user --mount --pid --net --fork --mount-proc "$@"; }

echo "-- both inside: -p, -c, a pattern"
inside sh -c '. ./_join.sh; launch victim; traced
	dtrace -q -c "victim fire 3" -n "pid\$target::fire_tick:entry { @ = count(); } END { printa(\"%@d entries\\n\", @); }"
	trace -n "victim*:::tick { printf(\"%d\\n\", arg0); }"
	victim fire 1
	untrace'
echo "-- both inside, and filtered as in a container"
inside victim filter container run sh -c '. ./_join.sh; launch victim; traced'
echo "-- the process inside"
inside victim tell "$T/up" wait "$T/go" fire 3 say "it lives" leave &
VICTIM=$!
read -r INNER <"$T/up"
for N in /proc/[0-9]*; do
	grep -q "^NSpid:.*[0-9][[:space:]]$INNER\$" "$N/status" 2>/dev/null && V=${N#/proc/}
done
traced
echo "-- dtrace inside a namespace of users"
launch victim
before=$(own)
unshare --user --map-root-user dtrace -q -p "$V" -n "$TICKS" 2>&1 | sed -e "s/\b$V\b/PID/g" -e "s/victim$V/victimPID/"
[ "$(own)" = "$before" ] || echo "it has something of dtrace's"
finished
echo "-- /proc of another namespace"
unshare --user --map-root-user --pid --fork dtrace -q -c "victim fire 3" -n "$TICKS" || echo "status $?"
