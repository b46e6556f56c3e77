# SPDX-License-Identifier: MIT
# The compiler checks the arguments; arrays and strings of any constness are taken.
need clang
cat >p.d <<'X'
provider p {
	probe number(int);
	probe text(char *);
	probe tree(struct tree *);
	probe real(double);
	probe restless(volatile int *);
};
X
header -s p.d -o p.h
cat >good.c <<'X'
struct tree { int x; };
#include "p.h"
enum color { RED };
struct bits { unsigned int few : 3; } bits;
int main(void)
{
	char array[8] = "x", *text = array;
	const char *fixed = text;
	const struct tree *t = 0;
	unsigned char byte = 1;

	P_NUMBER(1); P_NUMBER(1L); P_NUMBER(byte); P_NUMBER(RED); P_NUMBER('c'); P_NUMBER(bits.few);
	P_TEXT(array); P_TEXT(text); P_TEXT(fixed); P_TEXT("literal"); P_TEXT(0);
	P_TREE((struct tree *)0); P_TREE(t);
	P_REAL(1.5); P_REAL(1);
	P_RESTLESS((volatile int *)0); P_RESTLESS((int *)0);
	return 0;
}
X
for c in "gcc -std=gnu89" "gcc -std=c99 -pedantic" "gcc -std=c17" "gcc -x c++ -std=c++98" "gcc -x c++ -std=c++20" \
		"clang -std=gnu89" "clang -std=c11" "clang -x c++ -std=c++98" "clang -x c++ -std=c++17"; do
	for form in "" -DSDT_USE_CALLS -O2; do
		cc $c $form -c good.c -o good.o || echo "$c $form"
	done
done
# bad COMPILER STATEMENT
bad() {
	printf '#include "p.h"\nvoid f(void *v, struct { int x; } *s) { %s }\n' "$2" >bad.c
	cc $1 -Wno-all -Werror -c bad.c -o bad.o 2>/dev/null && echo "$1 takes $2"
	:
}
for c in gcc clang; do
	bad $c 'P_NUMBER("text");'
	bad $c 'P_TEXT(12);'
	bad $c 'P_TREE("text");'
	bad $c 'P_NUMBER();'
	bad $c 'P_NUMBER(1, 2);'
	bad $c 'P_REAL(v);'
	bad $c 'P_NUMBER(*s);'
done
