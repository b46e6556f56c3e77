# SPDX-License-Identifier: MIT
# _lib.sh - functions of the cases of fbt.
. ../_lib.sh

# The first description of fbt makes the list of functions. On the debug kernel that may take longer than a
# process of -c stays stopped for tracing.
[ "$KERNEL" != debug ] || dtrace -ln fbt::vfs_read:entry >/dev/null

# load, unload - load and unload a module with functions to trace. call N - have it call each of them N times.
load()
{
	insmod /test/modules/functions.ko
}
unload()
{
	rmmod functions
}
call()
{
	echo "$1" >/sys/module/functions/parameters/call
}

# hooked - print the number of functions with a hook of ftrace.
hooked()
{
	grep -c . /sys/kernel/tracing/enabled_functions || true
}
