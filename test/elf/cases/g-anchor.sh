# SPDX-License-Identifier: MIT
# Linkers take dtrace -G's object out of an archive for the sources that have -h's header; without it, and with copies, they link too.
need gcc g++ clang ld.bfd ld.lld mold
echo 'provider p { probe a(int); };' >a.d
echo 'provider p { probe b(int); probe c(); };' >b.d
for f in a b; do header -s $f.d -o $f.h; link -s $f.d -o $f.probes.o; done
printf '#include "a.h"\n#include "a.h"\nint a(int x) { P_A(x); return x; }\n' >a.c
printf '#include "b.h"\nint b(int x) { P_B(x); return x; }\n' >b.c
echo 'int a(int); int b(int); int main(int argc, char **argv) { return a(argc) + b(argc) - 2 * (argv[0] != 0); }' >main.c
echo 'int a(int); int b(int); int both(void); int both(void) { return a(1) + b(1); }' >both.c

# probes LINKER WHAT FILE... - link main with that: it must run; who declares its probes?
probes()
{
	linker=$1 what=$2
	shift 2
	gcc -B"$T/$linker" main.o "$@" -o main && ./main || echo "$what, $linker: status $?"
	echo "$what: $(declared main | grep -v ^provider | sort -u | tr '\n' ' ')" >"$what.$linker"
	cmp -s "$what.$linker" "$what.bfd" || echo "$linker is not like bfd: $(cat "$what.$linker")"
}
T=$PWD
for l in bfd lld mold; do mkdir $l; ln -s "$(command -v ld.$l || command -v $l)" $l/ld; done

for compile in "gcc -O2 -std=c99 -pedantic" "clang -O0" "g++ -xc++ -fno-common" "gcc -fno-pic -no-pie"; do
	cc "${compile%% *}" ${compile#* } -c a.c
	cc "${compile%% *}" ${compile#* } -c b.c
	"${compile%% *}" ${compile#* } -c main.c both.c 2>/dev/null
	cp a.probes.o a.copy.o
	rm -f both.a
	ar rc both.a a.o b.o a.probes.o b.probes.o
	for l in bfd lld mold; do
		probes $l archive both.a
		probes $l none a.o b.o
		probes $l copies a.probes.o a.copy.o both.a
		probes $l behind both.a a.copy.o
		gcc -B$l -shared -fPIC -o lib.so both.o both.a && declared lib.so >so.$l
		! nm -D lib.so | grep declared
	done
	ld.bfd -r a.o b.o -o r.o && objcopy --localize-hidden r.o && probes bfd partial r.o
done
cat archive.bfd none.bfd copies.bfd behind.bfd
echo "-- with link-time optimisation"
gcc -flto -O2 -I"$SDT" -c a.c b.c main.c
rm -f both.a
gcc-ar rc both.a a.o b.o a.probes.o b.probes.o
gcc -flto -O2 main.o both.a -o main && ./main && declared main
echo "-- a file without a provider asks for nothing; the same probes by other types ask for the same"
: >empty.d; header -s empty.d -o empty.h; grep -c DECLARED empty.h || :
echo 'provider p { probe a(char *); };' >c.d; header -s c.d -o c.h
grep -h DECLARED a.h c.h | uniq | wc -l
