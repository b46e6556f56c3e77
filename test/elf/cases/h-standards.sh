# SPDX-License-Identifier: MIT
# No standard of C and C++ makes a compiler complain of a header, of the types in it or of an argument like __func__.
need clang
cat >p.d <<'X'
provider p {
	probe wide(uint64_t, int64_t, long long, unsigned long long *);
	probe narrow(const char *, int);
	probe twelve(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
};
X
header -s p.d -o p.h
cat >use.c <<'X'
#include <stdint.h>
#include "p.h"
int main(void)
{
	uint64_t u = 1;

	P_WIDE(u, 2, 3, 0);
	P_NARROW(NAME, 1);
	P_TWELVE(u, u, u, u, u, u, u, u, u, u, u, u);
	DTRACE_PROBE2(p, narrow, NAME, 2);
	return P_WIDE_ENABLED();
}
X
for c in "gcc -std=c89" "gcc -std=c99" "gcc -std=c17" "gcc -x c++ -std=c++98" "gcc -x c++ -std=c++20 -Wold-style-cast" \
		"clang -std=c89" "clang -std=c11" "clang -x c++ -std=c++98" "clang -x c++ -std=c++17 -Wold-style-cast"; do
	case $c in *=c89|*98) name='"name"' ;; *) name=__func__ ;; esac
	for form in "" -DSDT_USE_CALLS; do
		cc $c $form "-DNAME=$name" -pedantic -c use.c -o use.o || echo "$c $form"
	done
	cc $c "-DNAME=$name" -pedantic use.c -o use && ./use
done
