# SPDX-License-Identifier: MIT
# The kernel makes copies of DOF for a user's threads, and the user keeps it from finishing. The copies count as the user's memory: there
# are no more of them than its limit allows, and none is left when the threads are killed.
# @@kernels: 6.1 6.12
# @@timeout: 60
. ./_lib.sh
policy 'user user dtrace_proc'
cd /sys/module/dtrace/parameters
registrations=$(cat user_registration_memory)
sessions=$(cat user_memory)
echo $((4 << 20)) >user_registration_memory
echo $(((4 << 20) + (256 << 10))) >user_memory	# and what a session holds besides
chmod 666 /dev/fuse	# as udev does
mount=$(mktemp -d /tmp/threads.XXXXXX)
chown user "$mount"

# held - print the memory of copies that users hold, in sessions or registrations.
held() { rows users | grep -oE '[0-9]+/(4194304|4456448)' | awk -F/ '$1 >= 1048576 { print int($1 / 1048576), "MiB of", int($2 / 1048576) }'; }
nothing() { ! rows users | grep -qE '[1-9][0-9]*/(4194304|4456448)'; }

# threads DEVICE THREADS REFUSED
threads()
{
	rm -f "$T/said"
	su user -c "exec $BIN/attack-threads $1 $mount $2 $3" >"$T/said" 2>&1 &
	await grep -q refused "$T/said"
	read -r _ pid <"$T/said"
	tail -n 1 "$T/said"
	held
	dies "$pid"
	await nothing && echo "nothing is held"
}

for device in helper session; do
	echo "-- $device"
	threads $device 1 0
	threads $device 12 8
done
echo $registrations >user_registration_memory
echo $sessions >user_memory
rmdir "$mount"
