# SPDX-License-Identifier: MIT
# Members of archives are read, thin ones too; call sites in them are refused, for ar has to come after -G.
[ -x "$DTRACE" ] || skip "no installed dtrace"
header_of() { echo "provider $1 { probe a(int); };" >$1.d; header -s $1.d -o $1.h; }
header_of p
cat >calls.c <<'X'
extern void __dtrace_p___a(int);
int f(int x) { __dtrace_p___a(x); return x; }
X
cat >records.c <<'X'
#include "p.h"
int g(int x) { P_A(x); return x; }
X
cat >bad.c <<'X'
#include <sys/sdt.h>
int h(int x) { DTRACE_PROBE2(p, a, x, x); return x; }
X
cc gcc -c calls.c records.c bad.c
echo "a text" >a_name_that_is_longer_than_sixteen.txt
cp records.o a_name_that_is_longer_than_sixteen.o
ar rc good.a records.o a_name_that_is_longer_than_sixteen.txt a_name_that_is_longer_than_sixteen.o
ar rcT thin.a records.o a_name_that_is_longer_than_sixteen.o
ar rc calls.a records.o calls.o
ar rc bad.a bad.o
ar rc empty.a
cp good.a before.a
link -v -s p.d -o p.o good.a thin.a empty.a
cmp good.a before.a
echo "-- refused"
link -s p.d -o none.o calls.a
link -s p.d -o none.o bad.a
ls none.o 2>/dev/null || :
echo "-- the files that a thin archive names are objects like others"
cp calls.o before.o
mkdir sub; cp calls.o sub
(cd sub; ar rcT ../thin-calls.a calls.o 2>/dev/null)
ar rcT thin2.a sub/calls.o
link -v -s p.d -o p2.o thin2.a
sites sub/calls.o
echo "-- damaged"
head -c 100 good.a >cut.a
link -s p.d -o none.o cut.a
head -c 90 thin.a >cut.a
link -s p.d -o none.o cut.a
rm sub/calls.o
link -s p.d -o none.o thin2.a
ls none.o 2>/dev/null || :
echo "-- an archive in a thin one; a thin one in itself"
ar rcT outer.a good.a
link -v -s p.d -o p3.o outer.a
printf '!<thin>\n%-16s%-12s%-6s%-6s%-8s%-10s`\n' self.a/ 0 0 0 644 10 >self.a
link -s p.d -o none.o self.a
echo "-- listed"
"$DTRACE" -G --list outer.a thin.a | sed "s/ 0x.*//"
