# SPDX-License-Identifier: MIT
# @@worlds: user the module follows all execs alike
# With followfork, a process is traced in a program that it executes by a descriptor.
. ../_lib.sh
for exec in exec execfd; do
	dtrace -Zq -x followfork -c "victim sum 1 $exec sum 2" -n 'pid$target::sum_eight:entry { @ = count(); }
		END { printa("%@d\n", @); }' 2>&1 | sed /^$/d
done
