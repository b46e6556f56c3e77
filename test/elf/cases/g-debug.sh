# SPDX-License-Identifier: MIT
# Debugging information, notes and unwind tables are not touched: their sections have the bytes they had.
need objcopy
echo 'provider p { probe a(int); };' >p.d
cat >a.c <<'X'
extern void __dtrace_p___a(int);
extern int __dtraceenabled_p___a(void);
struct s { int x; };
int f(struct s *s) { if (__dtraceenabled_p___a()) __dtrace_p___a(s->x); return s->x; }
int main(void) { struct s s = { 0 }; return f(&s); }
X
for c in "gcc -g" "gcc -g3 -gz" "clang -g" "clang -g -gdwarf-5 -gz"; do
	cc $c -O1 -c a.c -o a.o
	cp a.o old.o
	link -s p.d -o p.o a.o
	readelf -SW old.o | sed -n 's/^ *\[ *[0-9]*\] \([^ ]*\).*/\1/p' | grep 'debug\|eh_frame\|note\|comment' | grep -v '^.rela' | sort -u >names
	[ -s names ] || echo "$c: no debugging sections"
	while read -r name; do
		objcopy -O binary --only-section="$name" --set-section-flags "$name=alloc" old.o x 2>/dev/null
		objcopy -O binary --only-section="$name" --set-section-flags "$name=alloc" a.o y 2>/dev/null
		[ -s x ] || [ "$name" = .note.GNU-stack ] || echo "$c: nothing of $name is compared"
		cmp x y || echo "$c: $name"
	done <names
	readelf --debug-dump=info,line a.o >/dev/null 2>err || :
	[ ! -s err ] || cat err
	$c a.o p.o -o main && ./main
	readelf -lSW main >/dev/null
done
