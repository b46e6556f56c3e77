# SPDX-License-Identifier: MIT
# The spellings of options that build systems use: anywhere on the line, attached or not, known to others or not.
[ -x "$DTRACE" ] || skip "no installed dtrace"
export DTRACE_LIBDIR="$LIBDIR" LD_LIBRARY_PATH="$(dirname "$LIBDIR")"
# run ARGUMENTS... - say what fails or does not make "made".
run() { rm -f made; "$DTRACE" "$@" || echo "status $?: $*"; [ -s made ] || echo "nothing made: $*"; }
cat >p.d <<'X'
provider p { probe a(int); };
X
cat >sites.s <<'X'
	.text
	.type f, @function
f:	call __dtrace_p___a
	.size f, . - f
X
as sites.s -o sites.o
: >empty.d
echo 'BEGIN{}' >begin.d
run -h -s p.d -o made
run -h -o made -s p.d
run -s p.d -o made -h
run -hs p.d -o made
run -h -sp.d -omade
run -h -o made p.d
run -xnolibs -h -o made -s p.d
run -x nolibs -h -o made -s p.d
run -C -h -s p.d -o made
run -h -C -I. -Isub -DX=1 -s p.d -o made
run -DSTAP_SDT_V2 -o made -h -s p.d
run -C -h -I . -D X -s p.d -o made
run -h -s empty.d -o made
run -h -s begin.d -o made
run -G -s p.d -o made
run -Gs p.d -o made
run -G -s p.d sites.o -o made
run -G -C -s p.d sites.o sites.o -o made
run -o made -G -s p.d sites.o
run -G -64 -xlazyload -s p.d -o made sites.o
run -64 -G -s p.d -o made
run -G -32 -s p.d -o made
run -m64 -G -s p.d -o made
run -m32 -G -s p.d -o made
run -fPIC -G -s p.d -o made sites.o
run -fpic -C -G -s p.d -o made sites.o
run -G -C -64 -I. -o made -s p.d sites.o
run -G -s empty.d -o made
run -G -s begin.d -o made
run -G -o made sites.o
run -G -v -s p.d -o made sites.o
echo "-- default names"
rm -f p.h p.o
"$DTRACE" -h -s p.d && "$DTRACE" -G -s p.d sites.o && ls p.h p.o
echo "-- failures"
"$DTRACE" -h -s none.d -o none.h || echo "status $?"
"$DTRACE" -G -s none.d -o none.o || echo "status $?"
"$DTRACE" -G -s p.d -o none.o none-input.o || echo "status $?"
"$DTRACE" -h || echo "status $?"
ls none.* 2>/dev/null || :
# Switches of compilers and of other tools of this name change nothing, but for what concerns the preprocessor and the machine.
for switch in -k --types --no-pyparsing -std=c99 -ansi -pedantic -pipe -pthread -nostdinc -undef -Wall -O2 -g -fPIC \
	-mmacosx-version-min=10.5 "-arch x86_64" "-isystem ." "-idirafter ." "-iquote ." "-include none.h"; do
	run $switch -h -s p.d -o made
	run -G -s p.d $switch -o made sites.o
done
run -G -arch i386 -s p.d -o made
file -b made 2>/dev/null | grep -o '^ELF [0-9]*' || readelf -h made | sed -n 's/.*Class: *ELF\([0-9]*\).*/ELF \1/p'
mkdir headers
echo '#define NUMBER int' >headers/number.h
echo '#include "number.h"' >include.d
echo 'provider q { probe a(NUMBER); };' >>include.d
run -C -isystem headers -h -s include.d -o made
grep -o '_DTRACE_TYPED1(q, a, int' made
echo "-- the preprocessor by -x"
cat >cpp.d <<'X'
#include "number.h"
#if defined A && defined B && !defined C
provider x { probe a(NUMBER); };
#endif
X
printf '#!/bin/sh\nexec cpp -DB "$@"\n' >mine
chmod 755 mine
run -C -xcpppath=./mine -xdefine=A=1 -x undef=C -xincdir=headers -h -s cpp.d -o made
grep -o '_DTRACE_TYPED1(x, a, int' made
run -xcpp -xcppargs=-DB -xdefine=A -xincdir=headers -G -s cpp.d -o made
"$DTRACE" -C -xcpppath=./missing -h -s cpp.d -o none.h || echo "status $?"
"$DTRACE" -G --check -xcpp -xcpppath=./missing -s cpp.d made || echo "status $?"
