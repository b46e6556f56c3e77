# SPDX-License-Identifier: MIT
# Every tracepoint of the kernel is listed once, in the group in which the kernel's own tracing has it.
# @@kernels: 6.1 6.12
# @@timeout: 60
. ../_lib.sh
tracing=/sys/kernel/tracing
[ -e $tracing/events ] || mount -t tracefs none $tracing
dtrace -l -P sdt | awk 'NR > 1 { print $3 ":" $4 }' | sort >"$T/ours"
grep -v '^syscalls:\|^ftrace:' $tracing/available_events | sort >"$T/theirs"
sort -u "$T/ours" | cmp - "$T/ours" && echo "no name twice"
diff "$T/theirs" "$T/ours" | grep '^-[a-z]' || echo "all events are there"
[ "$(wc -l <"$T/ours")" -ge "$(wc -l <"$T/theirs")" ] && echo "and tracepoints that are no events"
dtrace -l -n 'sdt:sched::sched_switch' -n 'rawtp:sched::sched_switch' -n 'sdt:::sched_wakeup' | awk 'NR > 1 { print $2, $3, $4 }'
dtrace -l -n 'sdt:sched::nosuch' 2>&1 | tail -n 1
dtrace -l -n 'sdt:syscalls::sys_enter_openat' 2>&1 | tail -n 1
