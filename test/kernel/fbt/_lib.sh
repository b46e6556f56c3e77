# SPDX-License-Identifier: MIT
# _lib.sh - what the cases of fbt share.
. ../_lib.sh

# The first description of fbt has the list of functions made. On the debug kernel that may take longer than a
# process of -c is stopped for tracing.
[ "$KERNEL" != debug ] || dtrace -ln fbt::vfs_read:entry >/dev/null

# load, unload - the module of /test/modules with functions to trace. call N - have it call each of them N times.
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

# hooked - functions that ftrace calls somebody for.
hooked()
{
	grep -c . /sys/kernel/tracing/enabled_functions || true
}
