# SPDX-License-Identifier: MIT
# Calls by the handler of another tracer's kprobe are reported with their returns if ftrace leads to the handler. If
# a breakpoint does, they are missed: the kernel treats it as a non-maskable interrupt. Neither disturbs the kprobe.
. ./_lib.sh
tracing=/sys/kernel/tracing
[ -e $tracing/events ] || mount -t tracefs none $tracing
load
optimization=$(cat /proc/sys/debug/kprobes-optimization)
echo 0 >/proc/sys/debug/kprobes-optimization
offset=$(dtrace -ln kinst::functions_inner: | awk 'NR > 1 { print $NF }' | sort -n | sed -n 3p)
for at in 0 "$offset"; do
	echo "p:within functions:functions_inner+$at word=+0(%sp):u64" >$tracing/kprobe_events
	echo 1 >$tracing/events/kprobes/within/enable
	dtrace -qn 'fbt::copy_from_kernel_nofault: /pid == $target/ { @[probename] = count(); }
		END { printa("%s %@d\n", @); }' -c "sh -c 'echo 100 >/sys/module/functions/parameters/call'" 2>&1 |
		sed 's/ (.*//' | grep . | sort
	echo 0 >$tracing/events/kprobes/within/enable
	awk '$1 == "within" { print "kprobe", $2, "missed", $3 }' $tracing/kprobe_profile
	echo >$tracing/kprobe_events
done
echo "$optimization" >/proc/sys/debug/kprobes-optimization
unload
