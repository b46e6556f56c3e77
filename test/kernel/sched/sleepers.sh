# SPDX-License-Identifier: MIT
# Threads that sleep tell in which system call: pr_syscall is its number, -1 for read, and 0 outside of calls. A thread
# of the kernel makes none.
# @@kernels: 6.1 6.12 debug
# @@needs: types
. ../_lib.sh
dtrace -qn 'sched:::sleep /!(curlwpsinfo->pr_flag & PR_ISSYS) && curlwpsinfo->pr_syscall && pid == $target/ { since[curlwpsinfo->pr_addr] = timestamp;
		number[curlwpsinfo->pr_addr] = curlwpsinfo->pr_syscall; }
	sched:::wakeup /since[args[0]->pr_addr] && number[args[0]->pr_addr] == 230/ { @slept[args[1]->pr_fname] = count(); }
	sched:::wakeup { since[args[0]->pr_addr] = 0; }
	syscall::getppid:entry, syscall::getppid:return /pid == $target/ { @in[probefunc, curlwpsinfo->pr_syscall] = count(); }
	sched:::sleep /curlwpsinfo->pr_flag & PR_ISSYS && curlwpsinfo->pr_syscall/ { @kernel = count(); }
	END { printa("%s in clock_nanosleep\n", @slept); printa("%s %d: %@d\n", @in); printa("kernel %@d\n", @kernel); }' -c 'lives switches 5' | grep -v '^[0-9]*$'
echo "--- read"
dtrace -Zqn 'syscall::read:entry /execname == "victim"/ { @other = sum(curlwpsinfo->pr_syscall != -1); }
	victim*:::tick { printf("outside %d\n", curlwpsinfo->pr_syscall); }
	sched:::sleep /execname == "victim" && curlwpsinfo->pr_syscall == -1/ { self->slept = 1; }
	syscall::read:return /self->slept/ { printf("slept in read\n"); self->slept = 0; }
	END { printa("others than -1 in read %@d\n", @other); }' -c "sh -c '(sleep 1; echo go) | victim wait /dev/stdin fire 1'" | sort -u | grep -v '^$'
