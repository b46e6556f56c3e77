# SPDX-License-Identifier: MIT
# All stable providers at once, without types, while processes, threads, signals and transfers begin and end: the known counts
# are right, and nothing is hooked when dtrace has ended. Variables lose additions that processors make at the same time,
# aggregations do not.
# @@long: yes
# @@timeout: 60
. ../_lib.sh
dtrace -qn 'proc:::, sched:::, io:::, ip:::, tcp:::, udp:::, sysinfo:::, fsinfo:::, vminfo::: { @all[probeprov] = count(); }
	proc:::create /execname == "lives"/ { @n["created"] = count(); }
	proc:::exit /execname == "lives" && arg0 == 1/ { @n["exited"] = count(); }
	proc:::lwp-start /execname == "lives"/ { @n["threads"] = count(); }
	proc:::signal-discard /execname == "lives" && arg1 == 12/ { @n["ignored"] = count(); }
	proc:::fault /execname == "lives"/ { @faults[arg0] = count(); }
	sched:::surrender /execname == "lives"/ { @n["yields"] = count(); }
	sched:::on-cpu { @balance = sum(1); } sched:::off-cpu { @balance = sum(-1); }
	END { printa("%s %@d\n", @n); printa("fault %d: %@d\n", @faults); printa("balance %@d\n", @balance); }' \
	-c 'sh -c "lives tree 20; lives threads 30; lives signals; lives faults; lives yields 250; echo 3 >/proc/sys/vm/drop_caches"' >"$T/out" 2>"$T/err"
sed '/^ *\(proc\|sched\|io\|ip\|tcp\|udp\|sysinfo\|fsinfo\|vminfo\) *[0-9]*$/d; /^$/d' "$T/out" |
	awk '/^balance/ { print($2 < 3 && $2 > -3 ? "on as often as off" : "lost: " $2); next } { print }'
cat "$T/err"
sed -n 's/.* hooked  */left: /p' /proc/dtrace/triggers
