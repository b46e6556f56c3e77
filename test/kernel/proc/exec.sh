# SPDX-License-Identifier: MIT
# An exec succeeds, or fails with the error that the program gets: by execve and execveat, of programs of 64 and of 32 bits,
# and of scripts.
# @@kernels: 6.1 6.12 debug
# @@needs: types
. ../_lib.sh
echo "#!$BIN/lives tree" >"$T/script"
chmod +x "$T/script"
for run in "lives failures" "lives-i386 failures" "$BIN/calls again" "sh -c 'exec $T/script'"; do
	echo "-- ${run##*/}"
	dtrace -qn 'proc:::exec /pid == $target/ { printf("exec %s\n", args[0]); }
	proc:::exec-success /pid == $target/ { printf("exec-success %s\n", curpsinfo->pr_psargs); }
	proc:::exec-failure /pid == $target/ { printf("exec-failure %d\n", args[0]); }
	syscall::execve:return, syscall::execveat:return /pid == $target/ { printf("returns %d\n", errno); }' -c "$run" | grep -v '^$'
done
