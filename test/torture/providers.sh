# SPDX-License-Identifier: MIT
# @@long: yes
# @@timeout: 240
# @@tools: bpftrace perf
# Sessions of all kernel providers begin and end at once, some by kill -9. Meanwhile traced modules are loaded and
# unloaded, programs fork, execute and end, and ftrace, perf and bpftrace trace the same functions and tracepoints, and
# are killed as well. Afterwards nothing is hooked.
. ./_lib.sh
tracing=/sys/kernel/tracing
[ -e $tracing/events ] || mount -t tracefs none $tracing

# one_of SEED LINE... - print one of the lines.
one_of()
{
	seed=$1
	shift
	shift $((seed % $#))
	echo "$1"
}

# descriptions SEED - print the descriptions of four sets of probes.
descriptions()
{
	one_of "$1" 'fbt:vmlinux:vfs_*:' 'fbt:functions::' 'fbt:vmlinux:kmem_*:entry' 'fbt::[a-c]*:return' 'fbt::do_*:' \
		'fbt::*lock*:entry' 'fbt::schedule:,fbt::finish_task_switch*:'
	one_of $(($1 / 7)) 'syscall:::' 'syscall:::entry' 'syscall::*exec*:,syscall::*clone*:' 'syscall:linux32::return'
	one_of $(($1 / 31)) 'sdt:::' 'sdt:probed::' 'sdt:sched::' 'sdt:kmem::,rawtp:irq::' 'rawtp:::' 'profile-97' \
		'kinst::vfs_read:' 'kinst::schedule:' 'kinst:functions:functions_many:'
	one_of $(($1 / 127)) 'proc:::' 'sched:::' 'proc:::,sched:::,io:::,ip:::,tcp:::,udp:::' 'io:::,sched:::*-cpu,vminfo:::' 'sysinfo:::' 'fsinfo:::' 'lockstat:::*-spin,lockstat:::*-block' 'lockstat:::' 'mib:::Tcp*,vminfo:::pgfault' \
		'notifier:::,mib:::tcp*Data*,vminfo:::*_fault'
}

tracer()
{
	seed=$1
	while [ ! -e "$T/stop" ]; do
		seed=$(((seed * 1103515245 + 12345) % 2147483648))
		one=$(descriptions $((seed / 16)) | tr '\n' ',')
		dtrace -q -Z -x aggsize=256k -n "${one%,} { @[probeprov, probename, arg1] = count(); @s[stack(3)] = count(); }
			tick-1s { exit(0); }" >/dev/null 2>>"$T/errors" &
		ended $seed 900
	done
}

loader()
{
	while [ ! -e "$T/stop" ]; do
		for module in functions probed; do
			insmod /test/modules/$module.ko
			echo 3 >/sys/module/$module/parameters/call
		done
		# While the kernel searches a module, the module is in use.
		for module in functions probed; do
			until rmmod $module 2>>"$T/refused"; do usleep 10000; done
		done
		echo >>"$T/loads"
	done
}

worker()
{
	while [ ! -e "$T/stop" ]; do
		"$BIN/calls" plain
		"$BIN/calls-i386" plain
		"$BIN/calls" child
		dd if=/dev/zero of=/dev/null bs=1 count=100
		sh -c 'kill -USR1 $$' 2>/dev/null
	done >/dev/null 2>&1
}

# ftrace traces the functions that fbt traces, and has probes of its own there.
ftrace()
{
	echo 'vfs_*' >$tracing/set_ftrace_filter
	while [ ! -e "$T/stop" ]; do
		for tracer in function function_graph nop; do
			echo 1 >$tracing/events/kprobes/enable
			echo $tracer >$tracing/current_tracer
			usleep 200000
			echo 0 >$tracing/events/kprobes/enable
		done
	done
	echo nop >$tracing/current_tracer
	echo >$tracing/set_ftrace_filter
}

# perf counts the same probes, and tracepoints. Its table has a line of "COUNT,,EVENT,..." for each.
perf_stat()
{
	seed=97
	while [ ! -e "$T/stop" ]; do
		seed=$(((seed * 1103515245 + 12345) % 2147483648))
		perf stat -x , -a -o "$T/perf" --append -e kprobes:torture,kprobes:tortured,sched:sched_switch,raw_syscalls:sys_exit \
			-- sleep 0.6 2>>"$T/refused" &
		ended $seed 600
	done
}

# bpftrace's kfunc needs the kernel's types.
bpftrace_count()
{
	seed=31
	kfuncs="kfunc:vfs_read,kretfunc:vfs_read,kfunc:schedule"
	[ -e /sys/kernel/btf/vmlinux ] || kfuncs="kprobe:schedule"
	while [ ! -e "$T/stop" ]; do
		seed=$(((seed * 1103515245 + 12345) % 2147483648))
		bpftrace -B line -e "$(one_of $((seed / 16)) 'kprobe:vfs_*' 'kretprobe:vfs_*' 'kprobe:vfs_read+4' "$kfuncs" \
			'tracepoint:sched:sched_switch,tracepoint:raw_syscalls:sys_enter') { @ = count(); }
			interval:ms:500 { exit(); }" >>"$T/bpftrace" 2>>"$T/refused" &
		ended $seed 4000
	done
}

: >"$T/sessions" >"$T/loads" >"$T/errors"
echo 'p:torture vfs_read' >$tracing/kprobe_events
echo 'r:tortured vfs_read' >>$tracing/kprobe_events
work 'tracer 1' 'tracer 271828' 'tracer 314159' loader worker ftrace perf_stat bpftrace_count
echo >$tracing/kprobe_events
echo "$(grep -c . "$T/errors") errors, sessions $(grep -c '' "$T/sessions"), modules loaded $(grep -c '' "$T/loads") times" >/dev/kmsg
[ "$(grep -c '' "$T/sessions")" -ge 5 ] && [ "$(grep -c '' "$T/loads")" -ge 1 ] && echo enough
awk -F , '/kprobes:torture,/ && $1 > 0 { print "perf has counted"; exit }' "$T/perf"
awk '/^@: / && $2 > 0 { print "bpftrace has counted"; exit }' "$T/bpftrace"
grep -v 'drop\|missed\|more errors\|error on enabled probe\|invalid address' "$T/errors" | sort | uniq -c | head
rows sessions
grep -c . $tracing/enabled_functions
awk '/^functions / { print $1, $2 }' /proc/dtrace/stats
rmmod dtrace && echo unloaded
insmod /vm/dtrace.ko
dtrace -qn 'fbt::vfs_read:entry, syscall::read:entry, sdt:sched::sched_switch { @[probeprov] = count(); }
	END { printa("%s traces\n", @); }' -c 'dd if=/dev/zero of=/dev/null count=100' 2>/dev/null | sed '/^$/d' | sort
