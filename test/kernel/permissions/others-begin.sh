# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# BEGIN, END and ticks fire in the process that a CPU runs: its data is hidden from a user who may not see it.
# @@timeout: 90
. ./_lib.sh
policy 'user user dtrace_proc dtrace_user'
sh -c 'while :; do :; done' &
busy=$!
taskset -p 2 $busy >/dev/null
perl -e 'syscall(144, $ARGV[0] + 0, 1, my $priority = pack("i", 1)) == 0 or die' $busy	# SCHED_FIFO: no kernel thread runs there instead
user "taskset 1 dtrace -q -x cpu=1 -n '
BEGIN { printf(\"[%s] [%s] %d %d %d %d\n\", execname, execargs, pid, tid, ppid, uid); exit(0); }'"
user "taskset 1 dtrace -q -x cpu=1 -n '
tick-20ms { printf(\"[%s] %d %d %d %d\n\", execname, pid, arg0, arg1, progenyof(1)); exit(0); }'"
user "taskset 1 dtrace -q -x cpu=1 -n '
tick-20ms { trace(uregs[0]); } tick-20ms { ustack(); } tick-20ms { exit(0); }
ERROR { printf(\"fault %d\n\", arg4); }'" 2>/dev/null
# Root sees that process. The kernel throttles a SCHED_FIFO process for 50 ms of each second: then BEGIN fires in another.
in_busy() { [ "$(dtrace -q -x cpu=1 -n 'BEGIN { printf("%s %d", execname, pid == '$busy'); exit(0); }')" = "sh 1" ]; }
await in_busy
kill -9 $busy
wait $busy 2>/dev/null
true
