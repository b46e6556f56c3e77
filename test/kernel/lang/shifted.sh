# SPDX-License-Identifier: MIT
# A description with a colon too few or too many, or in the words of other tracers, is refused with the one that is meant.
# @@kernels: 6.1 6.12
# @@needs: types
# @@worlds: kernel it names the kernel's probes
for desc in syscall:read:entry fbt::vfs_read fbt:vfs_read fbt:::vfs_read sdt:sched:sched_switch sched:sched_switch proc:exit kinst:vfs_read:0 \
	kprobe:vfs_read tracepoint:sched:sched_switch uprobe:sh:main pid:malloc:entry interval:s:1 syscall::read:exit fbt::vfs_read:enter \
	syscall::sys_read:entry syscall::__x64_sys_read:return fbt:::nosuch nosuch:vfs_read:entry; do
	echo "$desc: $(dtrace -n "$desc" 2>&1 | tail -n 1 | sed 's/^\^* *//')"
done
dtrace -n 'syscall::execve:entry { trace(args[1]); }' 2>&1 | tail -n 1 | sed 's/^ *^* *//'
