# SPDX-License-Identifier: MIT
# Each instruction fires as often as it runs: those of a known function as often as that is called; the first one of a system
# call's function as often as fbt and the program say.
. ./_lib.sh
load
dtrace -qn 'kinst:instructions:instructions_known: { @[probename] = count(); }
kinst:instructions:instructions_branch:0 { @b = count(); }
END { printa("%s %@d\n", @); printa("branch %@d\n", @b); }' -c "$calling" | sed '/^$/d' | sort -n
unload
dtrace -qn 'kinst:vmlinux:vfs_read:0 /pid == $target && regs[R_RDX] == 7/ { @first = count(); }
fbt::vfs_read:entry /pid == $target && arg2 == 7/ { @entry = count(); }
syscall::read:entry /pid == $target && arg2 == 7/ { @call = count(); }
END { printa("%@d", @first); printa(" %@d", @entry); printa(" %@d\n", @call); }' -c 'dd if=/dev/zero of=/dev/null bs=7 count=50' 2>/dev/null | sed '/^$/d'
armed
