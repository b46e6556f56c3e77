# SPDX-License-Identifier: MIT
# A CPU goes away and comes back while it is traced; sessions begun without it work too.
. ../_lib.sh
online=/sys/devices/system/cpu/cpu1/online
[ -w $online ] || { echo "this kernel cannot take a CPU offline"; exit 77; }
trace -n 'profile:::profile-50 { @[cpu] = count(); } END { printa("cpu %d\n", @); }'
usleep 200000
echo 0 >$online
usleep 200000
dtrace -q -n '
profile:::profile-100 { @[cpu] = count(); }
tick-200ms { exit(0); }
END { printa("without: cpu %d\n", @); }'
echo 1 >$online
dtrace -q -n '
profile:::profile-100 { @[cpu] = count(); }
tick-200ms { exit(0); }
END { printa("again: cpu %d\n", @); }' | sort
untrace >"$T/all"
sort "$T/all"
