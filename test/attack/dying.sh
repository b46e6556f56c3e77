# SPDX-License-Identifier: MIT
# @@kernels: 6.12
# A thread that ends may run for longer than its parent exists. A tracer that asks for the parent then gets none, and reads no memory
# that is free. (On 6.1, grace periods do not end while a real-time thread keeps a processor.)
. ./_lib.sh
[ "$(nproc)" -ge 2 ] || { echo "needs two processors"; exit 77; }
runtime=/proc/sys/kernel/sched_rt_runtime_us
before=$(cat $runtime)
echo -1 >$runtime
pipes go
attack-dying <"$T/go" >"$T/told" &
attack=$!
exec 3>"$T/go"
await grep -q go "$T/told"
trace -w -n 'fbt::release_task:return /execname == "dying"/ { self->reaped = 1; chill(100000000); }
	fbt::do_task_dead:entry /self->reaped/ { printf("its parent: %d, progeny of init: %d\n", ppid, progenyof(1)); }'
echo go >&3
wait $attack
exec 3>&-
await grep -q parent "$T/trace.out"
untrace
echo "$before" >$runtime
