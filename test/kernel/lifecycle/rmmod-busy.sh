# SPDX-License-Identifier: MIT
# The module cannot be unloaded while a session is open; once it has closed, it can.
. ../_lib.sh
trace -n 'victim*:::tick {}'
rmmod dtrace 2>/dev/null && echo "unloaded under a session"
untrace
rmmod dtrace && echo unloaded
ls /dev/dtrace /proc/dtrace 2>/dev/null
insmod /vm/dtrace.ko
ls /dev/dtrace
