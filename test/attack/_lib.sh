# SPDX-License-Identifier: MIT
# _lib.sh - functions for attacks by ordinary users. A case reads it with `. ./_lib.sh`.
. ../kernel/_lib.sh
. ../kernel/_policy.sh

# alive PID - whether a thread of the process still exists, also one that the kernel keeps.
alive()
{
	grep -q '^State:.[^ZX]' "/proc/$1/task/"*/status 2>/dev/null
}

# dies PID - kill a process with -9, and print whether it ended within two seconds, or ten on a debug kernel.
dies()
{
	[ "$KERNEL" = 6.1 ] || [ "$KERNEL" = 6.12 ] && tenths=20 || tenths=100
	kill -KILL "$1"
	while alive "$1" && [ $tenths -gt 0 ]; do
		usleep 100000
		tenths=$((tenths - 1))
	done
	alive "$1" && echo "lives on after SIGKILL" || echo "dead"
}
