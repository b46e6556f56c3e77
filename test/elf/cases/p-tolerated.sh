# SPDX-License-Identifier: MIT
# Files that declare no provider, or say something twice, are no errors.
: >empty.d
echo 'BEGIN{}' >begin.d
echo 'BEGIN { exit(0); }
typedef int x;' >clause.d
for f in empty begin clause; do
	header -s $f.d -o $f.h
	link -s $f.d -o $f.o
	declared $f.o
	printf '#include "%s.h"\nint main(void) { return 0; }\n' $f >$f.c
	cc gcc -c $f.c -o main.o
	cc gcc main.o $f.o -o main
	./main
done
cat >twice.d <<'X'
#ifdef A
provider p { probe x(int a, char *b); probe y(); };
#else
provider p { probe x(int c, char *d); probe z(); };
#endif
#pragma D attributes Evolving/Evolving/Common provider other provider
X
link -s twice.d -o twice.o
declared twice.o
# Characters that editors of other systems leave: a mark before the text, carriage returns.
printf '\357\273\277provider marked { probe a(int); };\n' >marked.d
header -s marked.d -o marked.h
printf 'provider lines {\r\n\tprobe a(int); // one\r\n\tprobe b();\r\n};\r\n' >lines.d
header -s lines.d -o lines.h
grep -h 'define.*_[AB](' marked.h lines.h
