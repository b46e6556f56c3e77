# SPDX-License-Identifier: MIT
# The same for i386, whose position-independent code reaches the GOT by a register.
can32
cat >p.d <<'X'
provider p { probe a(int, char *, long long, short, double); };
X
cat >a.s <<'X'
	.text
	.type direct, @function
direct:	call __dtrace_p___a@PLT
	call __dtrace_p___a
	call *__dtrace_p___a@GOT(%ebx)
	call *__dtrace_p___a@GOT
	call *__dtraceenabled_p___a@GOT(%eax)
	call __dtraceenabled_p___a@PLT
	.size direct, . - direct
	.type jump, @function
jump:	jmp __dtrace_p___a
	.size jump, . - jump
	.type jump_got, @function
jump_got: jmp *__dtrace_p___a@GOT(%ecx)
	.size jump_got, . - jump_got
	.type jump_if, @function
jump_if: je __dtrace_p___a
	ret
	.size jump_if, . - jump_if
X
as --32 a.s -o a.o
link -s p.d -o p.o a.o
sites -c a.o
echo "-- relocations and symbols left"
readelf -rW a.o | awk '/R_386/ { print $3 }' | sort | uniq -c
nm -u a.o
readelf -hW p.o | grep Class
