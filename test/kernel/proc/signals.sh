# SPDX-License-Identifier: MIT
# Signals: sent, ignored, handled and fetched as often as the program does that; faults by their kind.
# @@kernels: 6.1 6.12 debug
# @@needs: types
. ../_lib.sh
dtrace -qn 'BEGIN { me = $target; }
	proc:::signal-send /pid == me/ { @n["send", args[2], args[1]->pr_pid == me] = count(); }
	proc:::signal-discard /pid == me/ { @n["discard", args[2], args[1]->pr_pid == me] = count(); }
	proc:::signal-handle /pid == me/ { @n["handle", args[0], args[1]->si_signo == args[0] && (uintptr_t)args[2] > 1] = count(); }
	proc:::signal-clear /pid == me/ { @n["clear", args[0], 1] = count(); }
	proc:::signal-handle /ppid == me/ { @n["handle in the child", args[0], args[1]->si_signo == args[0]] = count(); }
	proc:::exit /ppid == me && args[0] == CLD_KILLED/ { @n["killed", curpsinfo->pr_wstat & 0x7f, 1] = count(); }
	END { printa("%s %d (%d): %@d\n", @n); }' -c "lives signals" | grep -v '^$\| 17 '
echo "--- faults"
dtrace -qn 'proc:::fault /ppid == $target/ { printf("fault %d, signal %d at %s\n", args[0], args[1]->si_signo,
		args[1]->si_addr == 16 ? "16" : "elsewhere"); }
	proc:::exit /ppid == $target/ { printf("ends by %d\n", args[0]); }' -c "lives faults" | grep -v '^$'
