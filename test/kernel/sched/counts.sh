# SPDX-License-Identifier: MIT
# A thread is woken as often as /proc/PID/sched says. It enters and leaves queues, and is met by ticks, as often as ftrace records
# that. It gets the processor in whose queue it is.
# @@kernels: 6.1 6.12 debug
# @@needs: types
. ../_lib.sh
tracing=/sys/kernel/tracing
[ -e $tracing/events ] || mount -t tracefs none $tracing
echo 1 >/proc/sys/kernel/sched_schedstats
pid_at=$(dtrace -qn 'BEGIN { printf("%d", offsetof(struct task_struct, pid)); exit(0); }')
tick=$(awk '$3 ~ /^(scheduler|sched)_tick$/ { print $3 }' /proc/kallsyms)
echo >$tracing/trace
for class in fair rt dl; do
	for what in enqueue dequeue; do
		echo "p:counts/${what}_$class ${what}_task_$class task=+$pid_at(%si):s32"
	done
done >$tracing/kprobe_events
echo "p:counts/tick $tick" >>$tracing/kprobe_events
for events in counts syscalls/sys_exit_getppid syscalls/sys_enter_getppid; do
	echo 1 >$tracing/events/$events/enable
done
dtrace -qn 'syscall::getppid:return /pid == $target/ { on = ++calls == 1; } syscall::getppid:entry /pid == $target/ { on = 0; }
	sched:::wakeup /on && args[1]->pr_pid == $target/ { @["wakeup"] = count(); }
	sched:::enqueue /on && args[0]->pr_lwpid == $target/ { @["enqueue"] = count(); queue = args[2]->cpu_id; queued++; }
	sched:::dequeue /on && args[0]->pr_lwpid == $target/ { @["dequeue"] = count(); }
	sched:::tick /on && pid == $target/ { @["tick"] = count(); bad += args[1]->pr_pid != $target; }
	sched:::on-cpu /on && queued && pid == $target/ { other += queue != cpu; }
	END { printf("target %d\nother %d\nbad %d\n", $target, other, bad); printa("%s %@d\n", @); }' -c "counted wakeups 100" >"$T/out"
for events in counts syscalls; do
	echo 0 >$tracing/events/$events/enable
done
# The events between the two calls of the program, in which its name is before its pid.
awk 'NR == FNR && NF == 1 { ours["woken"] = $1 } NR == FNR { ours[$1] = $2; next }
	!pid { pid = ours["target"]; self = "-" pid "$" }
	$1 ~ self && /: sys_getppid -> / { on = !calls++ }
	$1 ~ self && /: sys_getppid\(/ { on = 0 }
	on && $0 ~ " task=" pid "$" { sub(/.*: /, "", $0); n[/enqueue/ ? "enqueue" : "dequeue"]++ }
	on && $1 ~ self && /: tick: / { n["tick"]++ }
	END { n["wakeup"] = ours["woken"]
		split("wakeup enqueue dequeue tick", names)
		for (i = 1; i <= 4; i++) {
			name = names[i]
			print name ":", (ours[name] == n[name] && n[name] > 9 ? "as the kernel counts" : ours[name] " but " n[name])
		}
		print ours["other"] + 0, "times on another processor,", ours["bad"] + 0, "bad" }' "$T/out" $tracing/trace
echo >$tracing/kprobe_events
echo >$tracing/trace
echo 0 >/proc/sys/kernel/sched_schedstats
