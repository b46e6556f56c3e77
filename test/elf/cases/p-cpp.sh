# SPDX-License-Identifier: MIT
# -C preprocesses: macros as types, includes with -I, conditions with -D; without -C the same options change nothing.
need cpp
mkdir inc
echo '#define HAVE_EXTRA 1' >inc/opts.h
cat >p.d <<'X'
#include "opts.h"
#define Oid unsigned int
#define bool unsigned char
provider p {
	probe x(Oid, bool);
#if HAVE_EXTRA
	probe extra(int);
#endif
#ifdef MORE
	probe more(int);
#endif
#ifdef __linux__
	probe linux(int);
#endif
};
X
link -C -Iinc -s p.d -o p.o
declared p.o
echo "-- -DMORE"
link -C -Iinc -DMORE -s p.d -o p.o
declared p.o
echo "-- not preprocessed"
link -Iinc -DMORE -s p.d -o p.o
declared p.o
echo "-- errors"
link -C -s p.d -o none.o 2>&1 | sed 's/.*fatal error/fatal error/; /^ /d; /^compilation/d'
link -C -s missing.d -o none.o
link -s missing.d -o none.o
link -s . -o none.o
ls none.o 2>/dev/null || :
echo "-- line numbers are those of the source"
printf '#include "opts.h"\n\nprovider p {\n\tprobe x(;\n};\n' >bad.d
link -C -Iinc -s bad.d -o none.o
