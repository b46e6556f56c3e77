# SPDX-License-Identifier: MIT
# An exec succeeds, or fails with the error that the program gets.
# @@kernels: 6.1 6.12 debug
# @@needs: types
. ../_lib.sh
dtrace -qn 'proc:::exec /pid == $target/ { printf("exec %s\n", args[0]); }
	proc:::exec-success /pid == $target/ { printf("exec-success %s\n", curpsinfo->pr_psargs); }
	proc:::exec-failure /pid == $target/ { printf("exec-failure %d\n", args[0]); }
	syscall::execve:return /pid == $target/ { printf("returns %d\n", errno); }' -c "lives failures" | grep -v '^$'
