# SPDX-License-Identifier: MIT
# The script of the toolkit about locks of the kernel reports each wait for the locks of a module. The debug kernel has other
# functions of locks, which are not reported.
# @@kernels: 6.1 6.12
# @@timeout: 60
. ./_lib.sh
insmod /test/modules/locked.ko
show klocks -c "taskset 1 sh -c 'echo 10 >/sys/module/locked/parameters/contend'"
rmmod locked
awk '/^sh, / { kind = $2; ours = 0 } /locked`/ { ours = 1 } ours && $2 ~ /^times/ { n[kind] += $1 }
	END { for (kind in n) print kind, n[kind] }' "$T/out" | sort
