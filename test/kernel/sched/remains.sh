# SPDX-License-Identifier: MIT
# A thread that yields keeps its processor or leaves it, in each class: the scheduler has chosen as often as the thread has yielded.
# @@kernels: 6.1 6.12 debug
# @@needs: types
. ../_lib.sh
for run in yields urgent; do
	dtrace -qn 'sched:::surrender /pid == $target/ { yields++; self->yields = 1; }
		sched:::remain-cpu /self->yields/ { remains++; self->yields = 0; }
		sched:::off-cpu /self->yields/ { leaves++; self->yields = 0; }
		sched:::off-cpu /pid == $target && args[0]->pr_lwpid == tid/ { twice++; }
		END { printf("%d yields, %d chosen, %s, %d twice\n", yields, remains + leaves,
			remains > 200 ? "remains" : "leaves", twice); }' -c "lives $run 250" | grep -v '^$'
done
