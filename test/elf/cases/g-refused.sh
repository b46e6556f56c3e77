# SPDX-License-Identifier: MIT
# Objects that cannot be rewritten are refused in words that name object, function and hint; no object is changed.
cat >p.d <<'X'
provider p { probe a(int); };
X
# try NAME - object NAME.o made from the assembler on standard input.
try() {
	cat >$1.s
	as $1.s -o $1.o
	cp $1.o before.o
	link -s p.d -o p.o $1.o
	cmp $1.o before.o
}
try through-register <<'X'
	.text
	.type f, @function
f:	movq __dtrace_p___a@GOTPCREL(%rip), %rax
	call *%rax
	ret
	.size f, . - f
X
try address-taken <<'X'
	.text
	.type g, @function
g:	leaq __dtrace_p___a(%rip), %rax
	ret
	.size g, . - g
X
try large-model <<'X'
	.text
	.type h, @function
h:	movabsq $__dtrace_p___a, %rax
	call *%rax
	.size h, . - h
X
try in-a-table <<'X'
	.data
	.quad __dtrace_p___a
X
try with-offset <<'X'
	.text
	.type i, @function
i:	call __dtrace_p___a+2
	.size i, . - i
X
try undeclared-probe <<'X'
	.text
	.type j, @function
j:	call __dtrace_p___b
	call __dtraceenabled_p___b
	call __dtrace_p___b
	.size j, . - j
X
try undeclared-provider <<'X'
	.text
	.type k, @function
k:	jmp __dtrace_q___a
	.size k, . - k
X
try no-function <<'X'
	.text
	call __dtrace_p___c
X
echo "-- by value"
echo 'provider p { probe a(int, struct big); };' >value.d
printf '\t.text\nf:\tcall __dtrace_p___a\n' | as -o value.o
link -s value.d -o p.o value.o
echo "-- what is no object"
echo text >text.o
link -s p.d -o p.o text.o
mkdir folder.o
link -s p.d -o p.o folder.o
link -s p.d -o p.o missing.o
ls p.o 2>/dev/null || :
echo "-- classes"
printf '\t.text\nf:\tcall __dtrace_p___a\n' >f.s
as --32 f.s -o f32.o
as f.s -o f64.o
as --x32 f.s -o fx32.o
cp f64.o before.o
link -s p.d -o p.o f64.o f32.o
link -32 -s p.d -o p.o f64.o
link -s p.d -o p.o fx32.o
cmp f64.o before.o
