# SPDX-License-Identifier: MIT
# Objects that gcc and clang make of C: all sites are found at every level, and the program runs as if they were not there.
need gcc clang
can32
cat >p.d <<'X'
provider p { probe one(int); probe many(int, const char *, long, int, int, int, int, long); };
X
cat >a.c <<'X'
extern void __dtrace_p___one(int);
extern int __dtraceenabled_p___one(void);
extern void __dtrace_p___many(int, const char *, long, int, int, int, int, long);
static __attribute__((noinline)) int local(int x) { __dtrace_p___one(x); return x * 2; }
void tail(int x) { __dtrace_p___one(x + 1); }
void tail_if(int x) { if (x > 2) __dtrace_p___one(x); }
int enabled(void) { return __dtraceenabled_p___one(); }
int main(int argc, char **argv)
{
	if (__dtraceenabled_p___one() || enabled())
		__dtrace_p___many(argc, argv[0], 2, 3, 4, 5, 6, 7L);
	__dtrace_p___many(argc, argv[0], 2, 3, 4, 5, 6, 7L);
	tail(3);
	tail_if(argc);
	return local(argc) - 2;
}
X
for compiler in gcc clang; do
	for flags in -O0 -O1 -O2 -Os -O3 "-O2 -fPIC" "-O2 -fno-plt" "-O1 -fno-plt -fPIC" "-g -O2" "-O2 -ffunction-sections" "-O2 -fcf-protection" \
			"-O0 -m32" "-O2 -m32" "-O2 -m32 -fPIC" "-O2 -m32 -fPIC -fno-plt"; do
		case $flags in *-m32*) m=-m32;; *) m=;; esac
		cc $compiler $flags -c a.c -o a.o
		calls=$(readelf -rW a.o | grep -c '__dtrace')
		link -s p.d -o p.o a.o
		[ "$(sites a.o | wc -l)" = "$calls" ] || echo "$compiler $flags: $calls calls, $(sites a.o | wc -l) sites"
		for f in main local tail tail_if enabled; do
			sites a.o | grep -q "^$f " || echo "$compiler $flags: no site in $f"
		done
		$compiler $m a.o p.o -o a
		./a || echo "$compiler $flags: status $?"
	done
done
