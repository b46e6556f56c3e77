# SPDX-License-Identifier: MIT
# Without the module programs run as ever, and dtrace says what to do.
rmmod dtrace
victim fire 1 guarded 1 fork fire 1 end join text
dtrace -n 'BEGIN { exit(0); }'
echo "status $?"
insmod /vm/dtrace.ko
