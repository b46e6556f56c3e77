# SPDX-License-Identifier: MIT
# Without the module programs run unchanged, and dtrace traces in the user world, or says what to do if another world is set.
rmmod dtrace
ls /dev/dtrace /proc/dtrace 2>/dev/null || echo "no devices"
victim fire 1 guarded 1 fork fire 1 end join text
echo "status $?"
dtrace -x cpu=0 -n 'BEGIN { exit(0); }'
echo "status $?"
dtrace -x world=kernel -n 'BEGIN { exit(0); }'
echo "status $?"
insmod /vm/dtrace.ko
dtrace -q -n 'BEGIN { printf("with it\n"); exit(0); }'
