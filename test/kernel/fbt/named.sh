# SPDX-License-Identifier: MIT
# @@long: yes
# @@kernels: 6.1 6.12
# Functions that ftrace cannot patch have probes if a description names them. They fire as often as a module calls them,
# with the arguments, values and callers of other functions. (The debug kernel has no types, and so no such returns.)
. ./_lib.sh
listed()
{
	dtrace -ln "$1" 2>/dev/null | awk 'NR > 1 { print $2, $3, $4, $5 }'
}
refused()
{
	dtrace -ln "$1" 2>&1 | sed -n 's/^dtrace: failed to match //p'
}
listed fbt::kobject_get:
listed 'fbt::kobject_ge[t]:'
dtrace -lP fbt | grep -c 'kobject_get ' || true
refused fbt::get_kprobe:entry
refused fbt::get_kprobe:
refused fbt::__x86_indirect_thunk_r11:return
refused fbt::ftrace_caller_end:return
refused fbt::no_such_function:
# One function with two names
for name in __do_sys_getppid __x64_sys_getppid; do
	dtrace -ln "fbt::$name:entry" 2>&1 | awk 'NR > 1 && /fbt/ { print $NF == "entry" ? "fbt::" $(NF - 1) ":entry" : $0 }'
done
load
dtrace -qn '
fbt::kobject_get:entry /pid == $target && caller >= (uintptr_t)&functions`functions_call && caller < (uintptr_t)&functions`functions_call + 4096/ { @entries = count(); self->kobj = args[0]; }
fbt::kobject_get:return /self->kobj/ { @returns[caller == 0 ? "no caller" : "a caller"] = count(); }
fbt::kobject_get:return /self->kobj && (arg1 != (uintptr_t)self->kobj || arg0 != -1)/ { @wrong = count(); }
fbt::kobject_get:return { self->kobj = 0; }
END { printa("entries %@d\n", @entries); printa("returns %@d, %s\n", @returns); printa("wrong %@d\n", @wrong); }' \
	-c 'sh -c "echo 57 >/sys/module/functions/parameters/call"'
dtrace -qn 'fbt::kobject_get:entry /caller >= (uintptr_t)&functions`functions_call/ { stack(2); exit(0); }' \
	-c 'sh -c "echo 1 >/sys/module/functions/parameters/call"' | sed 's/+.*//' | grep functions_call
unload
# nothing is left
awk '$1 == "instr" { print $2, "kprobes" }' /proc/dtrace/stats
listed 'fbt::kobject_ge?:'
# a module that is built into the kernel
dtrace -ln 'fbt:ext4::entry' 2>&1 | tail -n 1
dtrace -ln 'fbt:ext4:ext4_sync_file:return' 2>&1 | tail -n 1
