# SPDX-License-Identifier: MIT
# @@worlds: kernel semaphores that the kernel counts
# Threads of a child that is not traced hit the breakpoints that it has inherited, all at once. Each breakpoint is removed once: the
# child's semaphore reads 0 then, and never less. The parent stays traced.
. ../_lib.sh
warnings()
{
	dmesg | grep ref_ctr
}
warnings >"$T/before"
dtrace -q -c 'strays 40' -n 'strays$target:::hit { @ = count(); } END { printa("%@d\n", @); }'
warnings | diff "$T/before" -
