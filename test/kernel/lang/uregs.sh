# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# @@timeout: 60
# Each name of a register is that register and no other one, in 64-bit and 32-bit programs: all have
# values of their own. And ten arguments of a function. In the user world, the stack pointer must be valid.

# names NAME... - the action that prints them.
names()
{
	for name in "$@"; do
		printf 'printf("%s %%x\\n", uregs[%s]); ' "$name" "$name"
	done
}

all="R_CS R_RFL R_SS R_PS R_PC R_SP R_FP R_R0 R_R1"
wide="R_RAX R_RCX R_RDX R_RBX R_RBP R_RSI R_RDI R_R8 R_R9 R_R10 R_R11 R_R12 R_R13 R_R14 R_R15 R_RSP R_RIP"
narrow="R_EAX R_ECX R_EDX R_EBX R_EBP R_ESI R_EDI R_ESP R_EIP R_EFL"
set -- "registers-64 stack"
[ "$KERNEL" = user ] || set -- "$@" registers-64 registers-32
for program in "$@"; do
	[ "$program" = registers-32 ] && own=$narrow || own=$wide
	echo "-- $program"
	dtrace -q -c "$program" -n '
	pid$target:a.out:registers_site:entry
	{
		usym(uregs[R_PC]);
		printf("\n%d\n", uregs[R_PC] == uregs[R_RIP]);
		'"$(names $own $all)"'
	}
	pid$target:a.out:registers_ten:entry
	{
		printf("%d %d %d %d %d ", arg0, arg1, arg2, arg3, arg4);
		printf("%d %d %d %d %d\n", arg5, arg6, arg7, arg8, arg9);
	}' | sed -e 's/ *$//' -e /^$/d
done
