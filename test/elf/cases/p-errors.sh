# SPDX-License-Identifier: MIT
# Text that cannot be understood inside a provider is an error with file and line: no probe is lost in silence.
try() { cat >x.d; header -s x.d -o x.h 2>&1; rm -f x.h; }
try <<'X'
provider a { probe x(int };
X
try <<'X'

provider a {
	probe x(int)
	probe y(int);
};
X
try <<'X'
provider a {
	prob x(int);
};
X
try <<'X'
provder a {
	probe x(int);
};
X
try <<'X'
probe x(int);
X
try <<'X'
provider a { probe x(...); };
X
try <<'X'
provider a { probe x(int, ); };
X
try <<'X'
provider a { probe x(int a b); };
X
try <<'X'
provider a { probe x(const); };
X
try <<'X'
provider a { probe (int); };
X
try <<'X'
provider a { probe x(int);
X
try <<'X'
provider 7 { probe x(int); };
X
try <<'X'
provider a { probe x(int a) : (int b); };
X
try <<'X'
provider a { probe x(int) : (int, int); };
X
try <<'X'
provider a { probe x(int); probe x(long); };
X
try <<'X'
provider a { probe a_b(); probe a__b(); };
X
try <<'X'
provider a { probe x(); probe x__enabled(); };
X
try <<'X'
provider a { probe x(struct s); };
X
try <<'X'
provider a { probe x(long double); };
X
try <<'X'
provider a { probe x(int, int, int, int, int, int, int, int, int, int, int, int, int); };
X
try <<'X'
provider a { probe a_name_that_is_much_longer_than_the_sixty_three_characters_that_are_allowed(); };
X
try <<'X'
provider a_name_that_is_longer_than_the_fifty_three_characters_allowed { probe x(); };
X
try <<'X'
provider a { probe x(); };
#pragma D attributes Evolving/Evolving provider a provider
X
try <<'X'
provider a { probe x(); };
#pragma D attributes Evolving/Evolving/Common provider a nothing
X
try <<'X'
provider a { probe x(); }; /* begun
X
try <<'X'
provider a { probe x("text); };
X
try <<'X'
struct s {
	int x;
provider a { probe x(); };
X
printf 'provider a { probe x(); \0 };' | try
try <<'X'
# 100 "other.d"
provider a {
# 7 "third.d"
	probe x(;
};
X
# A process id follows the name of a provider.
try <<'X'
provider app1 { probe x(int); };
X
try <<'X'
provider app1x { probe x(int); };
X
try <<'X'
provider pid { probe x(int); };
X
echo 'provider app1 { probe x(int); };' >x.d
link -s x.d -o x.o 2>&1
printf '#include <sys/sdt.h>\nvoid f(void) { DTRACE_PROBE(app1, x); }\n' >digit.c
for form in '' -DSDT_USE_CALLS; do
	cc gcc $form -c digit.c -o digit.o
	link -o x.o digit.o 2>&1
done
printf '#include <sys/sdt.h>\nvoid f(void) { DTRACE_PROBE(pid, x); }\n' >pid.c
cc gcc -c pid.c -o pid.o
link -o x.o pid.o 2>&1
