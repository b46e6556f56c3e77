# SPDX-License-Identifier: MIT
# Tracepoints fire in programs of 64 and of 32 bits, and in their descendants, as often as perf's counters say.
# @@kernels: 6.1 6.12
# @@timeout: 60
. ../_lib.sh
[ -e /sys/kernel/tracing/events ] || mount -t tracefs none /sys/kernel/tracing
# perf counts neither the exit of a process nor its SIGCHLD: the counters of the process end before.
for words in "calls plain handler child" "calls-i386 plain handler child" "lives tree 5" "lives-i386 tree 5" "lives threads 5" "lives signals" "lives faults"; do
	echo "-- $words"
	rm -f "$T/seen"
	dtrace -q -o "$T/seen" -n '
		sdt:raw_syscalls::, sdt:signal::signal_deliver, sdt:task::task_newtask, sdt:sched::sched_process_fork, sdt:sched::sched_process_exec,
		sdt:sched::sched_process_wait, sdt:exceptions::page_fault_user
		/progenyof($target) && execname != "perf-count"/ { @[probemod, probename] = count(); }
		sdt:signal::signal_generate /progenyof($target) && execname != "perf-count" && (int)arg0 != SIGCHLD/ { @[probemod, probename] = count(); }
		END { printa("%s %s %@d\n", @); }' -c "$BIN/perf-count raw_syscalls:sys_enter raw_syscalls:sys_exit signal:signal_generate signal:signal_deliver
		task:task_newtask sched:sched_process_fork sched:sched_process_exec sched:sched_process_wait exceptions:page_fault_user -- $BIN/$words" >"$T/told"
	grep '^[a-z_]* [a-z_]* [1-9][0-9]*$' "$T/told" | sort >"$T/perf"
	sed '/^$/d' "$T/seen" | sort >"$T/dtrace"
	diff "$T/perf" "$T/dtrace" && [ "$(wc -l <"$T/perf")" -ge 6 ] && echo "the same"
done
