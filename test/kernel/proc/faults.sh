# SPDX-License-Identifier: MIT
# Faults of other kinds; a process that leaves a core file ends by CLD_DUMPED.
# @@kernels: 6.1 6.12 debug
# @@needs: types
. ../_lib.sh
for program in lives lives-i386; do
	dtrace -qn 'proc:::fault /ppid == $target/ { printf("fault %d, signal %d\n", args[0], args[1]->si_signo); }
		proc:::exit /ppid == $target/ { printf("ends by %d\n", args[0]); }' -c "$program traps" | grep -v '^$'
done
echo "--- core files"
pattern=$(cat /proc/sys/kernel/core_pattern)
echo "$T/core" >/proc/sys/kernel/core_pattern
dtrace -qn 'proc:::exit /execname == "lives"/ { @[args[0], curpsinfo->pr_wstat & 0x7f] = count(); }
	END { printa("%d, signal %d: %@d\n", @); }' -c "sh -c 'ulimit -c unlimited; lives faults'" | grep -v '^$' | sort
echo "$pattern" >/proc/sys/kernel/core_pattern
