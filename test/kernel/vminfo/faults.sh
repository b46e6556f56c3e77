# SPDX-License-Identifier: MIT
# Faults that Linux does not count itself are those that a program causes, by its actions and the kernel's data about it.
# @@kernels: 6.1 6.12 debug
# @@timeout: 90
. ../_lib.sh
tracing=/sys/kernel/tracing
[ -e $tracing/events ] || mount -t tracefs none $tracing

# counted PROBES ARG... - sum the increments between two calls of getppid by the program counted; $T/out gets the sums, and
# the program's output.
counted()
{
	probes=$1
	shift
	dtrace -qn "syscall::getppid:return /execname == \"counted\"/ { self->on = ++self->calls == 1; }
	syscall::getppid:entry { self->on = 0; }
	$probes /self->on/ { @n[probename] = sum(arg0); }
	END { printa(\"%s %@d\n\", @n); }" -c "counted $*" | grep -v '^$' | sort >"$T/out"
}

counted 'vminfo:::zfod' zeroed 100
awk 'NF == 1 { own = $1 } $1 == "zfod" { n = $2 }
	END { print (n == own ? "zeroed: as resident" : n " zeroed, resident " own), (own == 712 || own == 201 ? "" : own) }' "$T/out"
counted 'vminfo:::cow_fault, vminfo:::prot_fault' copied "$T/file" 50
awk 'NF == 1 { own = $1 } { n[$1] = $2 }
	END { print (own == 150 && n["cow_fault"] == own ? "copied: each" : n["cow_fault"] " copied, faults " own), "protected:", n["prot_fault"] }' "$T/out"
echo "-- of the kernel's own memory, where nothing ever is"
echo 'p:nothing __x64_sys_sched_yield there=@0xffffff8100000000:u64' >$tracing/kprobe_events
echo 1 >$tracing/events/kprobes/nothing/enable
dtrace -qn 'vminfo:::kernel_asflt /pid == $target/ { @ = sum(arg0); } END { printa("%@d\n", @); }' -c "lives yields 40" | grep -v '^$'
echo 0 >$tracing/events/kprobes/nothing/enable
echo >$tracing/kprobe_events
