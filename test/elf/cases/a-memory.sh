# SPDX-License-Identifier: MIT
# Whichever allocation fails, -h and -G end with status 1, leak nothing, and leave objects and outputs as they were.
[ -x "$ALLOC" ] || { echo "the tools of test/elf are not built"; exit 1; }
cat >p.d <<'X'
typedef struct s *handle;
provider p { probe a(int x, char *y, handle z) : (char *y); probe b__c(double); };
#pragma D attributes Evolving/Evolving/Common provider p provider
X
cat >a.s <<'X'
	.section .text.g, "axG", @progbits, g, comdat
	.weak g
	.type g, @function
g:	call __dtrace_p___a
	jmp __dtraceenabled_p___b__c
	.size g, . - g
	.text
	.type f, @function
f:	call __dtrace_p___b__c
	.size f, . - f
X
as a.s -o a.o
as a.s -o b.o
echo 'int x;' | gcc -x c -c - -o member.o
ar rc c.a member.o
"$ALLOC" "$LIBDIR" p.d a.o b.o c.a
sites a.o
ls -A | grep '^\.' || :
