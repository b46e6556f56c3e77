# SPDX-License-Identifier: MIT
# dtrace -G --list and dtrace -l FILE: sites of objects, archives, libraries and programs, by records, notes and calls.
[ -x "$DTRACE" ] || skip "no installed dtrace"
export DTRACE_LIBDIR="$LIBDIR" LD_LIBRARY_PATH="$(dirname "$LIBDIR")"
list() { "$DTRACE" -G --list "$@" | sed 's/ 0x[0-9a-f]* / /'; }
cat >p.d <<'X'
provider p {
	probe a(int number, char *text) : (char *text, int number);
	probe b__c();
};
X
header -s p.d -o p.h
cat >records.c <<'X'
#include "p.h"
static int global = 5;
int f(int x, char *s)
{
	P_A(x, s);
	if (P_B_C_ENABLED())
		P_B_C();
	DTRACE_PROBE3(q, other, global, 7, 2.5);
	return global++;
}
X
cat >calls.c <<'X'
extern void __dtrace_p___a(int, char *);
extern int __dtraceenabled_p___a(void);
int g(int x) { if (__dtraceenabled_p___a()) __dtrace_p___a(x, 0); return x; }
X
cat >main.c <<'X'
extern int f(int, char *), g(int);
int main(int argc, char **argv) { return f(argc, argv[0]) + g(argc); }
X
cc gcc -O1 -c records.c calls.c main.c
echo "-- objects"
list records.o calls.o
echo "-- the calls rewritten, and the declarations"
link -s p.d -o p.o records.o calls.o
list calls.o
echo "-- an archive"
ar rc lib.a main.o records.o
list lib.a
echo "-- a program, with its symbols and without"
gcc main.o calls.o records.o p.o -o program
list program >with
strip program
list program >without
sed 's/global+[0-9]*//' with
cmp with without
"$DTRACE" -l ./program
"$DTRACE" -lv ./program | grep -A2 'Types'
echo "-- without notes"
cc gcc -O1 -DDTRACE_SDT_NO_NOTES -c records.c
list records.o | grep -v other
echo "-- SystemTap's notes alone"
cat >stap.s <<'X'
	.text
	.globl h
	.type h, @function
h:	nop
	ret
	.size h, . - h
	.section .stapsdt.base, "a"
base:	.byte 0
	.section .note.stapsdt, "", @note
	.4byte 8, 2f - 1f, 3
	.asciz "stapsdt"
1:	.8byte h, base, 0
	.asciz "stap"
	.asciz "old__one"
	.asciz "-4@%edi 8@table(,%rax,8)"
2:	.balign 4
	.4byte 4, 4, 1
	.asciz "GNU"
	.4byte 0
	.section .note.GNU-stack, "", @progbits
X
as stap.s -o stap.o
gcc -shared stap.o -o stap.so
list stap.o stap.so
"$DTRACE" -l stap.so
echo "-- nothing, and damage"
list main.o
"$DTRACE" -G --list main.o >/dev/null || echo "status $?"
"$DTRACE" -G --list none.o || echo "status $?"
"$DTRACE" -G --list p.d || echo "status $?"
"$DTRACE" -G --list || echo "status $?"
"$DTRACE" -l ./none || echo "status $?"
"$DTRACE" -l none || echo "status $?"
"$DTRACE" -l stap.so main.o lib.a || echo "status $?"
"$DTRACE" -l none.o stap.so p.d || echo "status $?"
echo "-- a probe of an inline function is listed with that, as it is traced, not with the function that the code is part of"
cat >inline.cc <<'Y'
#include <sys/sdt.h>
template <class T> static inline __attribute__((always_inline)) T twice(T x)
{
	DTRACE_PROBE1(p, twice, x);
	return x * 2;
}
int outer(int x) { DTRACE_PROBE(p, outer); return twice(x); }
int main(int argc, char **) { return outer(argc); }
Y
cc g++ -O2 -c inline.cc
g++ inline.o -o inline
list inline.o inline | sort -u
