# SPDX-License-Identifier: MIT
# An exec succeeds, or fails with the error that the program gets: by execve and execveat, of programs of 64 and of 32 bits.
# @@kernels: 6.1 6.12 debug
# @@needs: types
. ../_lib.sh
for run in "lives failures" "lives-i386 failures" "$BIN/calls again"; do
	echo "-- ${run##*/}"
	dtrace -qn 'proc:::exec /pid == $target/ { printf("exec %s\n", args[0]); }
	proc:::exec-success /pid == $target/ { printf("exec-success %s\n", curpsinfo->pr_psargs); }
	proc:::exec-failure /pid == $target/ { printf("exec-failure %d\n", args[0]); }
	syscall::execve:return, syscall::execveat:return /pid == $target/ { printf("returns %d\n", errno); }' -c "$run" | grep -v '^$'
done
