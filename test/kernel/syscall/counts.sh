# SPDX-License-Identifier: MIT
# Probes count the system calls of a program, in 64 and in 32 bits: each call once at entry and once at return, with its
# result. execveat, signal handlers and interrupted calls return from the call that was entered; calls without a probe do no harm.
# (Of 32-bit programs, the debug kernel lacks the calls with 32-bit times.)
# @@kernels: 6.1 6.12
# @@timeout: 60
. ../_lib.sh
for program in calls calls-i386; do
	echo "-- $program"
	dtrace -q -n '
		syscall:::entry /progenyof($target)/ { @entries[pid == $target ? "parent" : "child", probemod, probefunc] = count(); }
		syscall:::return /progenyof($target)/ { @returns[pid == $target ? "parent" : "child", probemod, probefunc,
			(int)arg0 < 0 ? "fails" : arg0 == 0 ? "returns 0" : "returns more", errno] = count(); }
		syscall:::return /arg0 != arg1 && progenyof($target)/ { printf("%s: arg0 %d arg1 %d\n", probefunc, arg0, arg1); }
		END { printa("%s enters %s %s: %@d\n", @entries); printa("%s leaves %s %s, which %s, errno %d: %@d\n", @returns); }' \
		-c "$BIN/$program plain handler interrupted unknown child again" 2>&1 |
		grep -E ' (getppid|write|openat|close|rt_sigreturn|sigreturn|tgkill|execve|execveat|clock_nanosleep|fork|exit_group|wait4|waitpid)[:,]|arg1|^dtrace' |
		sort
done
