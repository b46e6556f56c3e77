# SPDX-License-Identifier: MIT
# regs[] are the registers before the instruction; stacks and the program counter begin with it.
. ./_lib.sh
load
dtrace -qn 'kinst::instructions_known:0 { printf("at 0: %d %d ", regs[R_RDI], regs[R_RSI]); sym(regs[R_PC]); func(caller); printf("\n"); }
kinst::instructions_known:5 { printf("at 5: rax %d\n", (int)regs[R_RAX]); }
kinst::instructions_known:8 { printf("at 8: rax %d\n", regs[R_RAX]); stack(2); }
kinst::instructions_known:17 { printf("at 17: rax %d\n", regs[R_RAX]); }' -c "sh -c 'echo 2 >/sys/module/instructions/parameters/call'" |
	sed 's/ \{2,\}/ /g;s/ *$//;s/+0x.*call/ call/;s/\(call\)+0x[0-9a-f]*/\1/;/^$/d'
unload
dtrace -qn 'fbt::vfs_read:entry /pid == $target && arg2 == 7/ { self->file = arg0; }
kinst::vfs_read:0 /pid == $target && regs[R_RDX] == 7/ { self->at = regs[R_RDI]; }
fbt::vfs_read:return /self->file/ { @[self->file == self->at] = count(); self->file = 0; }
END { printa("%d: %@d\n", @); }' -c 'dd if=/dev/zero of=/dev/null bs=7 count=9' 2>/dev/null | sed '/^$/d'
dtrace -qn 'BEGIN { trace(regs[R_PC]); } ERROR { printf("BEGIN has none\n"); exit(0); }' 2>/dev/null | sed '/^$/d'
