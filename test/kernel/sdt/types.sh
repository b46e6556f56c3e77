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
