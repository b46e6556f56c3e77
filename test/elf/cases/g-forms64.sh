# SPDX-License-Identifier: MIT
# Every way in which x86-64 code calls a probe becomes NOPs of the same length, whatever the relocation.
cat >p.d <<'X'
provider p { probe a(int, char *, short, unsigned char, long, int, int, long long); };
X
cat >a.s <<'X'
	.text
	.type direct, @function
direct:	call __dtrace_p___a@PLT
	call __dtrace_p___a
	call *__dtrace_p___a@GOTPCREL(%rip)
	call __dtraceenabled_p___a@PLT
	call *__dtraceenabled_p___a@GOTPCREL(%rip)
	nop
	.size direct, . - direct
	.type jump, @function
jump:	jmp __dtrace_p___a@PLT
	.size jump, . - jump
	.type jump_got, @function
jump_got: jmp *__dtrace_p___a@GOTPCREL(%rip)
	.size jump_got, . - jump_got
	.type jump_enabled, @function
jump_enabled: jmp __dtraceenabled_p___a
	.size jump_enabled, . - jump_enabled
	.type jump_enabled_got, @function
jump_enabled_got: jmp *__dtraceenabled_p___a@GOTPCREL(%rip)
	.size jump_enabled_got, . - jump_enabled_got
	.type jump_if, @function
jump_if: jne __dtrace_p___a
	jl __dtraceenabled_p___a
	ret
	.size jump_if, . - jump_if
X
as a.s -o a.o
link -s p.d -o p.o a.o
sites -c a.o
echo "-- relocations and symbols left"
readelf -rW a.o | awk '/R_X86/ { print $3 }' | sort | uniq -c
nm -u a.o
objdump -d --no-show-raw-insn a.o | awk -F'\t' '/^ / { print $2 }'
