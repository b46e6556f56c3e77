# SPDX-License-Identifier: MIT
# Records are compared with the declarations: unknown probes and other numbers of arguments, with the function's name.
cat >a.c <<'X'
#include <sys/sdt.h>
void too_many(int x) { DTRACE_PROBE2(p, a, x, x); }
static void too_few(void) { DTRACE_PROBE(p, a); }
void unknown(int x) { DTRACE_PROBE1(p, c__d, x); too_few(); }
void elsewhere(int x) { DTRACE_PROBE1(q, a, x); }
void right(int x) { DTRACE_PROBE1(p, a, x); DTRACE_PROBE3(p, long__name, x, "text", 1.5); }
X
echo 'provider p { probe a(int); probe long-name(int, char *, double); };' >p.d
can32
for m in -m64 -m32; do
	cc gcc $m -O0 -c a.c -o a.o
	link -s p.d -o p.o a.o
	cc gcc $m -O0 -shared -fPIC a.c -o a.so
	link -s p.d -o p.o a.so 2>&1 | grep -c 'a.so: .*probe'
done
ls p.o 2>/dev/null || :
