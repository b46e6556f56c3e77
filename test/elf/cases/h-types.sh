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
# f STATEMENT - bad.c, a function of that statement alone.
f() {
	cat >bad.c <<X
#include "p.h"
struct small { int x; };
void f(void *v, struct small *s);
void f(void *v, struct small *s) { (void)v; (void)s; $1 }
X
}
# right STATEMENT - the compiler takes it in this frame, so that only its argument can be why another is refused.
right() { f "$1"; cc $c $form -c bad.c -o bad.o || echo "$c $form refuses $1"; }
# bad STATEMENT REGEX - the compiler refuses it, in words that match.
bad() {
	f "$1"
	if cc $c $form -c bad.c -o bad.o 2>messages; then
		echo "$c $form takes $1"
	elif ! grep -Eq "(error|note): .*($2)" messages; then
		echo "$c $form refuses $1 for another reason:"
		cat messages
	fi
}
# wrong PROBE STATEMENT - the same, because of what the header declares the probe's argument to be.
wrong() {
	bad "$2" "argument 1 of .*__dtrace_p___$1|to parameter of|no matching function for call to .__dtrace_p___$1"
}
for c in gcc clang "gcc -x c++" "clang -x c++"; do
	for form in "" -DSDT_USE_CALLS; do
		right 'P_NUMBER(s->x); P_TEXT("text"); P_TREE((struct tree *)v); P_REAL(1.5); P_RESTLESS(&s->x);'
		wrong number 'P_NUMBER("text");'
		wrong number 'P_NUMBER(*s);'
		wrong text 'P_TEXT(12);'
		wrong tree 'P_TREE("text");'
		wrong tree 'P_TREE(s);'
		wrong real 'P_REAL(v);'
		wrong restless 'P_RESTLESS("text");'
		bad 'P_NUMBER();' 'too few arguments|no matching function'
		bad 'P_NUMBER(1, 2);' 'passed 2 arguments, but takes just 1|too many arguments provided'
	done
done
