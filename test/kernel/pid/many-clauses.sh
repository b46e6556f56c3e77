# SPDX-License-Identifier: MIT
# @@worlds: user the module has memory of the kernel's
# @@long: ci
# @@timeout: 150
# Twenty-five clauses at each of ten thousand functions: the agent has memory for all of them.
. ../_lib.sh
for clause in $(seq 25); do
	echo 'pid$target:many:fun_*:entry { @ = count(); }'
done >"$T/clauses.d"
echo | dtrace -qs "$T/clauses.d" -c many 2>&1 | sed /^$/d
