# SPDX-License-Identifier: MIT
# A module is loaded and unloaded while the first request for fbt makes the list of the kernel's functions, which takes long:
# it does not wait for that. The request shares its processor, so that its stack can be seen while it does not run.
# @@kernels: 6.1 6.12
# @@timeout: 90
. ./_lib.sh
rmmod dtrace
insmod /vm/dtrace.ko
taskset 1 sh -c 'while :; do :; done' &
busy=$!
taskset 1 dtrace -n 'fbt:nowhere:nothing:entry' >"$T/list" 2>&1 &
list=$!
makes() { grep -q fbt_list_kernel "/proc/$list/stack" 2>/dev/null; }
await makes && echo "the list is made"
taskset 2 insmod /test/modules/functions.ko
taskset 2 rmmod functions
ended() { ! kill -0 $list 2>/dev/null; }
either() { makes || ended; }
await either
ended || echo "a module has come and gone"
kill $busy
wait $list
grep -q 'fbt:nowhere:nothing:entry' "$T/list" && echo "there is no such function"
