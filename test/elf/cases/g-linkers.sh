# SPDX-License-Identifier: MIT
# COMDAT copies, dead functions and ld -r: each linker keeps a record for each site of live code, and none points into nothing.
need g++ clang++ ld.bfd ld.gold ld.lld
echo 'provider p { probe a(int); };' >p.d
cat >t.h <<'X'
extern "C" { void __dtrace_p___a(int); int __dtraceenabled_p___a(void); }
template <class T> __attribute__((noinline)) T twice(T x) { if (__dtraceenabled_p___a()) __dtrace_p___a(x); return x * 2; }
inline __attribute__((noinline)) int inl(int x) { __dtrace_p___a(x); return x + 1; }
X
cat >one.cc <<'X'
#include "t.h"
int two(int);
__attribute__((noinline)) int dead(int x) { __dtrace_p___a(x); return x; }
int main(int c, char **) { return twice(c) + inl(c) + two(c) + twice((long)c) - 10; }
X
cat >two.cc <<'X'
#include "t.h"
int two(int c) { return twice(c) + inl(c); }
X
# check WHAT - the program's sites; those of dead() may be there or not.
check() { ./main || echo "$1: status $?"; sites main | grep -v dead | awk '{ print $1, $2 }' | cmp - want || echo "$1"; }
cat >want <<'X'
_Z3inli probe
_Z5twiceIiET_S0_ enabled
_Z5twiceIiET_S0_ probe
_Z5twiceIlET_S0_ enabled
_Z5twiceIlET_S0_ probe
X
for c in g++ clang++; do
	for flags in -O1 "-O1 -ffunction-sections -g" "-O2 -fno-plt -fPIC"; do
		$c $flags -c one.cc two.cc
		link -s p.d -o p.o one.o two.o
		for l in bfd gold lld; do
			for gc in "" -Wl,--gc-sections; do
				$c -fuse-ld=$l $gc one.o two.o p.o -o main
				check "$c $flags $l $gc"
			done
			ld.$l -r one.o two.o -o r.o
			link -s p.d -o p.o r.o
			$c -fuse-ld=gold r.o p.o -o main
			check "$c $flags ld.$l -r"
			ar rc lib.a two.o
			$c -fuse-ld=$l one.o lib.a p.o -o main
			check "$c $flags $l archive"
			rm lib.a
		done
	done
done
