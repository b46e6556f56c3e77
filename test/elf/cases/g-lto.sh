# SPDX-License-Identifier: MIT
# Objects of link-time optimisation: call sites are refused, recorded ones need no -G.
need gcc clang
echo 'provider p { probe a(int); };' >p.d
cat >calls.c <<'X'
extern void __dtrace_p___a(int);
int f(int x) { __dtrace_p___a(x); return x; }
X
cat >records.c <<'X'
#include "p.h"
int main(int argc, char **argv) { (void)argv; P_A(argc); return P_A_ENABLED(); }
X
header -s p.d -o p.h
for c in "gcc -flto" "gcc -flto -ffat-lto-objects" "clang -flto" "clang -flto=thin"; do
	echo "-- $c"
	cc $c -O2 -c calls.c -o calls.o
	cp calls.o before.o
	link -s p.d -o p.o calls.o
	cmp calls.o before.o
	ar rc calls.a calls.o 2>/dev/null
	link -s p.d -o p.o calls.a
	cc $c -O2 -g -c records.c -o records.o
	link -s p.d -o p.o records.o
	case $c in clang*) c="$c -fuse-ld=lld" ;; esac
	$c -O2 records.o p.o -o main
	./main
	sites main | grep -c 'probe p:a'
	rm -f p.o
done
