# SPDX-License-Identifier: MIT
# Tracepoints fire as often as in the kernel's own tracing, with the same arguments; when dtrace has ended, none is hooked any
# more. All of them can be traced together.
# @@kernels: 6.1 6.12
# @@timeout: 60
. ../_lib.sh
tracing=/sys/kernel/tracing
[ -e $tracing/events ] || mount -t tracefs none $tracing
echo 1 >$tracing/events/task/task_newtask/enable
echo 1 >$tracing/events/signal/signal_generate/enable
dtrace -q -o "$T/seen" -n 'BEGIN { printf("@tracing\n"); }
	sdt:task::task_newtask { @forks[pid] = count(); }
	sdt:signal::signal_generate /(int)arg0 == 10/ { @signals[pid] = count(); @errors[pid] = sum((int)arg4); }
	sdt:sched::sched_process_exec /execname == "calls"/ { exit(0); }
	END { printa("forks of %d: %@d\n", @forks); printa("signals of %d: %@d, results %@d\n", @signals, @errors); }' &
session=$!
await is_tracing $session "$T/seen"
sh -c 'echo $$ >"$0"; trap : USR1; for i in 1 2 3 4 5 6 7 8 9; do (kill -USR1 $$) & wait $!; done' "$T/pid"
"$BIN/calls" done
wait $session
echo 0 >$tracing/events/enable
read -r pid <"$T/pid"
forks=$(grep -c " sh-$pid .* task_newtask:" $tracing/trace)
signals=$(grep -c " signal_generate: sig=10 .*pid=$pid .*res=0" $tracing/trace)
grep "^forks of $pid: $forks\$" "$T/seen" >/dev/null && [ "$forks" -ge 9 ] && echo "forks: the same" || cat "$T/seen"
[ "$(grep -c '^signals of .*: 1, results 0$' "$T/seen")" = "$signals" ] && [ "$signals" -ge 9 ] && echo "signals: the same" || cat "$T/seen"
echo "--- all at once"
dtrace -q -n 'sdt::: { @ = count(); } sdt::: /n++ > 200/ { exit(0); } END { printa("%@d", @); }' | awk '{ print ($1 > 100) ? "many" : $0 }'
dtrace -q -n 'rawtp:task::task_newtask { @ = count(); } rawtp:sched::sched_process_exit /execname == "calls"/ { exit(0); }
	END { printa("rawtp: %@d\n", @); }' -c "$BIN/calls child" | sed '/^$/d; s/[1-9][0-9]*/some/'
