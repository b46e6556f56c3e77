# SPDX-License-Identifier: MIT
# Copies of DOF that the kernel makes for a user's threads, and that the user keeps it from finishing, count as the user's memory: no more
# of them than its limit allows, and nothing is left when they are killed.
# @@kernels: 6.1 6.12
# @@timeout: 60
. ./_lib.sh
policy 'user user dtrace_proc'
cd /sys/module/dtrace/parameters
registrations=$(cat user_registration_memory)
sessions=$(cat user_memory)
echo $((4 << 20)) >user_registration_memory
echo $((4 << 20)) >user_memory
chmod 666 /dev/fuse	# as udev does
mount=$(mktemp -d /tmp/threads.XXXXXX)
chown user "$mount"

# held - bytes that users hold, in copies or registrations.
held() { rows users | grep -o '[0-9]*/4194304' | grep -v ^0; }
nothing() { ! held; }

# threads DEVICE THREADS REFUSED
threads()
{
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
