# SPDX-License-Identifier: MIT
# Functions of a module that ftrace traces while dtrace first lists them have probes.
. ./_lib.sh
tracing=/sys/kernel/tracing
[ -e $tracing/events ] || mount -t tracefs none $tracing
load
echo functions_inner >$tracing/set_ftrace_filter
echo function >$tracing/current_tracer
rmmod dtrace
insmod /vm/dtrace.ko
dtrace -ln 'fbt:functions:functions_inner:' | awk 'NR > 1 { print $3, $4, $5 }'
echo nop >$tracing/current_tracer
echo >$tracing/set_ftrace_filter
unload
