# SPDX-License-Identifier: MIT
# A user's process has a helper that does as much work as allowed for each stack, and root samples stacks. When the user's share is
# used up, the helper is stopped, and stacks are recorded without it. A short helper of another user's process still names frames.
# @@kernels: 6.1 6.12
# @@long: yes
# @@timeout: 60
. ./_lib.sh
chmod 755 "$T"

# A string of 2,048 characters, and one that matches it at each offset except in its last character.
{
	echo 'dtrace:helper:ustack: { this->s = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"; 0; }'
	for i in 1 2 3 4 5 6; do
		echo 'dtrace:helper:ustack: { this->s = strjoin(this->s, this->s); 0; }'
	done
	echo 'dtrace:helper:ustack: { this->t = strjoin(substr(this->s, 0, 1000), "b"); 0; }'
	for i in $(seq 100); do
		echo 'dtrace:helper:ustack: { this->n = index(this->s, this->t); 0; }'
	done
} >"$T/long.d"
echo 'dtrace:helper:ustack: { "short"; }' >"$T/short.d"
for name in long short; do
	dtrace -G -xlinktype=dof -s "$T/$name.d" -o "$T/$name.dof"
done
chmod 644 "$T"/*.dof

# counted NAME - print a count of helpers.
counted() { awk -v "name=helper-$1" '$1 == name { print $2 }' /proc/dtrace/stats; }

# attack PROBE - sample the process. The kernel log gets its work with the helper in percent of that without.
attack()
{
	limits=$(counted limits)
	pauses=$(counted pauses)
	session attack -n "$1 /execname == \"attack-helpers\"/ { @a[jstack(5, 512)] = count(); } END { trunc(@a); }"
	share=$(become groups 1000 gid 1000 uid 1000 run attack-helpers take "$T/long.dof")
	kill -TERM $SESSION
	wait $SESSION
	echo "helpers, $1: $share %" >/dev/kmsg
	echo "-- $1"
	[ "$(counted limits)" -gt "$limits" ] && echo "long helpers are cut"
	[ "$(counted pauses)" -gt "$pauses" ] && echo "and left out"
}

become groups 1001 gid 1001 uid 1001 run attack-helpers name "$T/short.dof" short &
SHORT=$!
await grep -q '^short$' "/proc/$SHORT/comm"
trace -n 'profile-97 /execname == "short" && arg1/ { @[jstack(1, 512)] = count(); }'
attack profile-1999
attack cpc:::cpu_clock-all-500000
kill -TERM $TRACE
wait $TRACE
# If the host takes the processor away within the short helper, that time is charged to it, too.
output | awk '/^ *[0-9]+$/ { n[frame == "short"] += $1; next } NF { frame = $1 }
	END { print (n[1] > 9 * n[0] ? "short helpers give names" : n[1] " stacks with a name, " n[0] " without") }'
kill -KILL $SHORT
wait $SHORT 2>/dev/null || true
