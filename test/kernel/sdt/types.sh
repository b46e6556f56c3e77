# SPDX-License-Identifier: MIT
# args[] have the types of the tracepoint's own arguments, those on the stack too; structures of the kernel are known.
# @@needs: types
# @@kernels: 6.1 6.12
# @@timeout: 60
. ../_lib.sh
dtrace -lvn sdt:sched::sched_process_fork -n sdt:task::task_newtask -n sdt:sched::sched_switch | grep 'args\['
dtrace -q -n 'sdt:sched::sched_process_fork /pid == $target/ {
		printf("%s has a child, %d\n", args[0]->comm, args[1]->tgid == args[0]->tgid); }
	sdt:kmem::kmalloc /pid == $target/ { @nodes[args[5]] = count(); }
	END { printa("kmalloc on node %d\n", @nodes); }' -c "$BIN/calls child" | grep -v '^$'
dtrace -q -n 'sdt:sched::sched_process_exit { trace(args[9]); }' 2>&1 | tail -n 1
echo "-- handlers of interrupts have the names of /proc/interrupts"
dtrace -qn 'sdt:::interrupt-start /arg0/ { @[args[1], stringof(args[0]->name)] = count(); } END { printa("name %d %s %@d\n", @); }' \
	-c "sh -c 'echo to the terminal >/dev/ttyS0'" >"$T/out"
cat /proc/interrupts >"$T/interrupts"
awk 'FILENAME ~ /out$/ { if ($1 == "name") name[$2 ":"] = $3; next }
	$1 in name { print (name[$1] == $NF ? "the same" : name[$1] " and not " $NF) }' "$T/out" "$T/interrupts" | sort -u
echo "-- timers have their function"
insmod /test/modules/deferred.ko
dtrace -qn 'sdt:::callout-start { @[(uintptr_t)args[0]->function == (uintptr_t)&deferred`deferred_timer_ends ? "its function" : "others"] = count(); }
	END { printa("%s %@d\n", @); }' -c "sh -c 'echo 20 >/sys/module/deferred/parameters/timers'" | grep its
rmmod deferred
