# SPDX-License-Identifier: MIT
# A thread sleeps and is preempted as often as the kernel counts voluntary and involuntary switches; it leaves and gets its
# processor in turn.
# @@kernels: 6.1 6.12 debug
# @@needs: types
. ../_lib.sh
dtrace -qn 'syscall::getppid:entry /pid == $target && !self->on/ { self->on = 1; }
	syscall::getppid:return /pid == $target && self->on/ { calls++; self->on = calls < 2; }
	sched:::sleep /self->on/ { @sleeps = count(); }
	sched:::off-cpu /self->on/ { off++; }
	sched:::off-cpu /self->on && curlwpsinfo->pr_state == SSLEEP/ { asleep++; bad += curlwpsinfo->pr_stype != SOBJ_CV; }
	sched:::off-cpu /self->on && curlwpsinfo->pr_state == SRUN/ { ready++; bad += curlwpsinfo->pr_stype != SOBJ_NONE; }
	sched:::on-cpu /self->on/ { bad += curlwpsinfo->pr_state != SONPROC; }
	sched:::sleep /self->on/ { asleep--; }
	sched:::preempt /self->on/ { ready--; }
	sched:::on-cpu /self->on/ { on++; }
	sched:::sleep, sched:::preempt /self->on/ { reasons++; }
	sched:::wakeup /args[1]->pr_pid == $target && calls == 1/ { wakeups++; }
	END { printa("sleeps %@d\n", @sleeps); printf("off and on: %d\n", on - off);
		printf("off-cpu without sleep or preempt: %d\n", off - reasons);
		printf("states that are not those of the probes: %d, %d, %d bad\n", asleep, ready, bad);
		printf("%s\n", wakeups >= 50 ? "woken" : "not woken"); }' -c "lives switches 100" >"$T/out"
kernel=$(grep '^[0-9]*$' "$T/out" | head -n 1)
grep "^sleeps $kernel\$" "$T/out" >/dev/null && [ "$kernel" -ge 50 ] && echo "sleeps: as the kernel counts" || cat "$T/out"
grep -v '^[0-9]*$\|^sleeps' "$T/out"
echo "--- preempted"
taskset 1 sh -c 'while :; do :; done' & # a thread that would run on the same processor
dtrace -qn 'syscall::getppid:return /pid == $target && !calls++/ { self->on = 1; forced = curthread->nivcsw; own = curthread->nvcsw; }
	syscall::getppid:entry /self->on/ { self->on = 0; forced = curthread->nivcsw - forced; own = curthread->nvcsw - own; }
	sched:::preempt /self->on/ { @forced = count(); } sched:::sleep /self->on/ { @own = count(); }
	END { printa("preempt %@d\n", @forced); printa("sleep %@d\n", @own); printf("counted %d %d\n", forced, own); }' \
	-c "taskset 1 counted switches 100" >"$T/out"
kill $!
awk '$1 == "counted" { print ($2 == n["preempt"] && $2 > 0 && $3 == n["sleep"] && $3 >= 90 ? "as the kernel counts" : $0 ", not " n["preempt"] " " n["sleep"]) }
	{ n[$1] = $2 }' "$T/out"
echo "--- of all processors: who leaves one is not who gets it, and next is who gets it"
dtrace -qn 'sched:::off-cpu { next[cpu] = args[0]->pr_lwpid; left[cpu] = 1; }
	sched:::on-cpu /left[cpu]/ { @[next[cpu] == curlwpsinfo->pr_lwpid ? "next" : "another"] = count(); }
	tick-1s { exit(0); } END { printa("%s\n", @); }' | grep -v '^$'
