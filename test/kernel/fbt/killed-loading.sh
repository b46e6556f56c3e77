# SPDX-License-Identifier: MIT
# A session enables many breakpoints. Meanwhile a module that no session waits for is loaded at once. One whose probes another session
# waits for is not, but the command that loads it can be killed. The session gets the probes nevertheless, and loses them with the module.
# The first session shares its processor, so that its stack can be read while it does not run.
# @@kernels: 6.1 6.12
# @@modules: brd
# @@timeout: 120
. ./_lib.sh
trace -n 'fbt:functions:functions_many:entry { n++; } END { printf("%d calls\n", n); }'
taskset 1 sh -c 'while :; do :; done' &
busy=$!
taskset 1 dtrace -n 'vminfo::: { @ = count(); }' >"$T/many" 2>&1 &
many=$!
arms() { grep -q site_hook_sync "/proc/$many/stack"; }
meanwhile() { grep -q matched "$T/many" && echo "not meanwhile: $1" || echo "$1"; }
await arms
renice -n 10 $many >/dev/null
taskset 2 modprobe brd rd_nr=1 2>/dev/null # it may be built in
meanwhile "a module that no session waits for is loaded"
taskset 2 insmod /test/modules/functions.ko &
loads=$!
waits() { grep -q provider_sync "/proc/$loads/stack"; }
await waits
kill -KILL $loads
wait $loads 2>/dev/null
meanwhile "one that a session waits for is loaded by a command that was killed"
kill $busy
renice -n 0 $many >/dev/null
wait $busy 2>/dev/null
await grep -q matched "$T/many"
is_hooked() { grep -q functions_many /sys/kernel/tracing/enabled_functions; }
[ -e /sys/kernel/tracing/events ] || mount -t tracefs none /sys/kernel/tracing
await is_hooked
call 7
unload
! grep -q "^brd " /proc/modules || rmmod brd
is_hooked || echo "no hook is left"
kill -INT $many
wait $many
untrace
