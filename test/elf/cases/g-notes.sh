# SPDX-License-Identifier: MIT
# Notes of rewritten calls: at the first NOP, with the arguments where the call would have them; one base in each program.
need ld.gold ld.lld
cat >p.d <<'X'
provider p { probe a(int, char *); probe none(); probe b__c(double); };
X
header -s p.d -o p.h
cat >calls.c <<'X'
extern void __dtrace_p___a(int, char *), __dtrace_p___none(void), __dtrace_p___b__c(double);
extern int __dtraceenabled_p___a(void);
void f(int x, double d)
{
	if (__dtraceenabled_p___a())
		__dtrace_p___a(x, 0);
	__dtrace_p___none();
	__dtrace_p___b__c(d);
}
X
notes() { readelf -nW "$@" | sed -n 's/.*Provider: /Provider: /p; s/^ *\(Name: .*\|Arguments: .*\)/\1/p' | paste -sd' ' |
	sed 's/ Provider/\nProvider/g'; }
# code PROGRAM: what is at each note
code() { objdump -d "$1" >code; readelf -nW "$1" | sed -n 's/.*Location: 0x0*\([0-9a-f]*\), Base.*/\1/p' |
	while read -r at; do grep -A1 "^ *$at:" code | cut -f3 | sed 's/ *$//' | paste -sd,; done; }
cc gcc -O2 -c calls.c
link -s p.d -o p.o calls.o
echo "-- x86-64"
notes calls.o
echo 'int main(void) { f(1, 2.5); return 0; }' >main.c
for linker in bfd gold lld; do
	gcc -w -fuse-ld=$linker -Wl,--gc-sections main.c calls.o p.o -o main
	./main
	readelf -nW main | sed -n 's/.*, Base: 0x0*\([0-9a-f]*\),.*/\1/p' | sort -u >base
	readelf -SW main | awk '$2 == ".stapsdt.base" || $3 == ".stapsdt.base"' | grep -c -F "$(cat base)"
done
code main
echo "-- beside recorded sites, and in several objects"
cat >mixed.c <<'X'
#include <sys/sdt.h>
extern void __dtrace_p___none(void);
void g(int x) { DTRACE_PROBE1(p, a, x); __dtrace_p___none(); }
X
cc gcc -O2 -c mixed.c
sed '/enabled/d; s/ f(/ f2(/; s/if.*//' calls.c >calls2.c
cc gcc -O2 -ffunction-sections -c calls2.c
link -o p.o calls.o mixed.o calls2.o
readelf -SW mixed.o | grep -c '\.stapsdt\.base'
nm mixed.o calls.o | grep stapsdt
gcc -w main.c calls.o mixed.o calls2.o p.o -o main
readelf -SW main | grep -c '\.stapsdt\.base'
notes main
echo "-- once in a list"
"$DUMP" main | grep -vc '^declared\|^provider'
[ ! -x "$DTRACE" ] || LD_LIBRARY_PATH="$(dirname "$LIBDIR")" "$DTRACE" -G --list main | wc -l
echo "-- code that the linker drops takes its notes with it"
cc gcc -O2 -ffunction-sections -c calls.c calls2.c
link -s p.d -o p.o calls.o calls2.o
gcc -w -fuse-ld=lld -Wl,--gc-sections main.c calls.o calls2.o p.o -o main
[ ! -x "$DTRACE" ] || LD_LIBRARY_PATH="$(dirname "$LIBDIR")" "$DTRACE" -G --list main | sed 's/ 0x[0-9a-f]* / /'
echo "-- aarch64, where one NOP is for all tracers"
need clang
clang --target=aarch64-linux-gnu -O2 -c calls.c
link -s p.d -o p.o calls.o
notes calls.o
[ ! -x "$DTRACE" ] || LD_LIBRARY_PATH="$(dirname "$LIBDIR")" "$DTRACE" -G --list calls.o
echo "-- i386"
can32
cc gcc -m32 -O2 -c calls.c
link -s p.d -o p.o calls.o
notes calls.o
gcc -w -m32 main.c calls.o p.o -o main
./main
code main
