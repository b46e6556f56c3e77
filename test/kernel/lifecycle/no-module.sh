# SPDX-License-Identifier: MIT
# Without the module programs run as ever, and dtrace says what to do.
rmmod dtrace
ls /dev/dtrace /proc/dtrace 2>/dev/null || echo "no devices"
victim fire 1 guarded 1 fork fire 1 end join text
echo "status $?"
dtrace -n 'BEGIN { exit(0); }'
echo "status $?"
insmod /vm/dtrace.ko
dtrace -q -n 'BEGIN { printf("with it\n"); exit(0); }'
