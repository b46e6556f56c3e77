# SPDX-License-Identifier: MIT
# dtrace -G --check: probes without a site, sites that are not what is declared. dtrace -G --fire: each site once.
[ -x "$DTRACE" ] || skip "no installed dtrace"
export DTRACE_LIBDIR="$LIBDIR" LD_LIBRARY_PATH="$(dirname "$LIBDIR")"
check() { "$DTRACE" -G --check "$@" || echo "status $?"; }
fire() { "$DTRACE" -G --fire "$@" || echo "status $?"; }
cat >p.d <<'X1'
provider p {
	probe a(int number, char *text);
	probe b__c();
	probe d(double, uint64_t, short, strange_t);
};
X1
cat >right.c <<'X1'
#include "p.h"
int right(int x, char *s, double d, short h)
{
	P_A(x, s);
	if (P_B_C_ENABLED())
		P_B_C();
	P_D(d, x * 3ULL, h, s);
	DTRACE_PROBE1(other, thing, x);
	return 0;
}
int main(int argc, char **argv) { return right(argc, argv[0], 1.5 * argc, argc); }
X1
header -s p.d -o p.h
cc gcc -O1 -c right.c
link -s p.d -o p.o right.o
gcc right.o p.o -o right
echo "-- what is right, by the file and by what the program has in it"
check -s p.d right.o
check right
check -s p.d right.o >one && check ./right right.o >two && sed 's/ 1 site/ 2 sites/' one | diff - two
echo "-- each site once"
fire ./right
echo "-- mistakes"
cat >wrong.c <<'X1'
#include <sys/sdt.h>
int wrong(int x, long y, char *s, double d)
{
	DTRACE_PROBE1(p, a, x);
	DTRACE_PROBE2(p, a, y, s);
	DTRACE_PROBE2(p, a, x, x);
	DTRACE_PROBE2(p, a, 5L, "constants have any size");
	DTRACE_PROBE4(p, d, y, d, x, x);
	DTRACE_PROBE(p, e);
	return 0;
}
X1
cc gcc -O1 -c wrong.c
check -s p.d wrong.o 2>&1 | sed 's/@[^:]*:/@...:/'
echo "-- call sites get their locations when -G rewrites them"
cat >calls.c <<'X1'
extern void __dtrace_p___a(int, char *), __dtrace_p___b__c(void);
int f(int x) { __dtrace_p___a(x, 0); __dtrace_p___b__c(); return x; }
X1
cc gcc -O1 -c calls.c
check -s p.d calls.o
echo "-- a site whose code is damaged"
cp right damaged
at=$("$DTRACE" -G --list right | awk '/^p:right:right:a / { print $2 }')
printf '\017\013' | dd of=damaged bs=1 seek=$((at)) conv=notrunc 2>dd
fire ./damaged 2>&1 | sed 's/0x[0-9a-f]*/ADDRESS/'
echo "-- nothing to do"
echo 'int main(void) { return 0; }' >none.c
cc gcc none.c -o none
check none
check
fire ./none
fire ./nowhere
fire
(PATH=/usr/bin; fire nowhere)
check -s none.d right.o
check -n BEGIN right.o
echo "-- a program that is named as other files are"
fire right
echo "-- a provider in two files, and one in both"
sed '/probe [bd]/d' p.d >half.d
sed '/probe a/d' p.d >other.d
printf 'provider other {\n\tprobe thing(int);\n};\n' >>other.d
check -s half.d right.o 2>&1
check -s half.d -s other.d right.o
check -s p.d -s half.d -s other.d right.o
sed 's/char/int/' half.d >wrong.d
check -s p.d -s wrong.d right.o
echo "-- what is no program"
gcc -shared -fPIC -xc /dev/null -o library.so
gcc -c -xc /dev/null -o object.o
fire ./library.so
fire ./object.o
