# SPDX-License-Identifier: MIT
# A thread has the parent of its process until it gives up its processor for the last time, when it has been reaped.
# A kernel with full preemption may take the processor away from it just before.
# @@kernels: 6.1 6.12 debug
# @@needs: types
. ../_lib.sh
dtrace -qn 'sched:::off-cpu /pid == $target && tid != pid/ { @[ppid == $pid, curpsinfo->pr_ppid == $pid, progenyof($pid)] = count(); }
	sched:::off-cpu /pid == $target && tid != pid && curlwpsinfo->pr_state == SZOMB/ { @last = sum(!seen[tid]); seen[tid] = 1; }
	END { printa("%d %d %d\n", @); printa("for the last time %@d\n", @last); }' -c "lives threads 30" | grep -v '^$'
