# SPDX-License-Identifier: MIT
# Processes begin, run and end as often as the program knows: a tree of 40 processes, 30 threads.
# @@kernels: 6.1 6.12 debug
# @@needs: types
# @@timeout: 60
. ../_lib.sh
dtrace -qn 'proc:::create /execname == "lives"/ { @n["create"] = count(); }
	proc:::create /execname == "lives" && args[0]->pr_ppid != pid/ { @n["create: another parent"] = count(); }
	proc:::lwp-create /execname == "lives" && args[0]->pr_lwpid == args[1]->pr_pid/ { @n["lwp-create of the first thread"] = count(); }
	proc:::start /execname == "lives"/ { @n["start"] = count(); self->began = timestamp; }
	proc:::exit /execname == "lives" && self->began/ { @n["exit of one that has begun"] = count(); }
	proc:::exit /execname == "lives"/ { @ends[args[0]] = count(); }
	syscall::exit_group:entry /execname == "lives" && arg0 > 0/ { @passed = sum(arg0); }
	proc:::exit /execname == "lives"/ { @status = sum(curpsinfo->pr_wstat >> 8); }
	END { printa("%s %@d\n", @n); printa("ends by %d: %@d\n", @ends); printa("sum of their statuses %@d, ", @status); printa("as passed to exit_group %@d\n", @passed); }' -c "lives tree 20" | grep -v "^$"
echo "--- threads"
dtrace -qn 'proc:::lwp-create /pid == $target/ { @n["lwp-create"] = count(); @of[args[1]->pr_pid == pid, args[0]->pr_lwpid != pid] = count(); }
	proc:::lwp-start /pid == $target/ { @n["lwp-start"] = count(); }
	proc:::lwp-exit /pid == $target/ { @n["lwp-exit"] = count(); }
	proc:::create, proc:::start, proc:::exit /pid == $target/ { @n[probename] = count(); }
	END { printa("%s %@d\n", @n); printa("of the same process %d, another thread %d: %@d\n", @of); }' -c "lives threads 30" | grep -v "^$"
