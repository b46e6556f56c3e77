# SPDX-License-Identifier: MIT
# A signal that is handled tells who has sent it, with which value, and how a child has ended; the handler is the program's.
# Programs of 32 bits fetch signals, too.
# @@kernels: 6.1 6.12 debug
# @@needs: types
. ../_lib.sh
dtrace -qn 'proc:::signal-handle /pid == $target && args[0] == SIGUSR1/ {
		@[args[1]->si_value, args[1]->si_pid == pid, args[1]->si_uid == uid, args[1]->si_code, ufunc((uintptr_t)args[2])] = count(); }
	proc:::exit /ppid == $target/ { child = pid; }
	proc:::signal-handle /pid == $target && args[0] == SIGCHLD/ {
		printf("child %d, status %d, code %d\n", args[1]->si_pid == child, args[1]->si_status, args[1]->si_code); }
	END { printa("value %d of itself %d by its user %d, code %d, by %A: %@d\n", @); }' -c "lives queued 3" | grep -v '^$'
echo "--- of 32 bits"
dtrace -qn 'proc:::signal-clear /pid == $target/ { @["fetched", args[0]] = count(); }
	proc:::signal-handle /pid == $target/ { @["handled", args[0]] = count(); }
	END { printa("%s %d: %@d\n", @); }' -c "lives-i386 signals" | grep -v '^$\| 17:'
