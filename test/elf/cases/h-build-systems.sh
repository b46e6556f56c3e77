# SPDX-License-Identifier: MIT
# The sed scripts that build systems run over the header leave it correct.
provider() { sed "s/NAME/$1/" >p.d <<'X'
provider NAME {
	probe function__entry(const char *, char *, int);
	probe line(char *);
	probe gc__done(long);
	probe place(void *, unsigned char *, string);
};
X
}
# use PREFIX HEADER - a program that uses the macros.
use() {
	cat >use.c <<X
#include "$2"
int main(int argc, char **argv)
{
	const char *fixed = "x";

	$1FUNCTION_ENTRY(fixed, argv[0], argc);
	$1LINE(argv[0]);
	$1LINE(fixed);
	$1PLACE(argv, (const unsigned char *)fixed, fixed);
	if ($1GC_DONE_ENABLED())
		$1GC_DONE(12L);
	$1LINE_ENABLED();
	return 0;
}
X
	for compiler in "gcc -std=c99" "gcc -x c++" "clang -std=c11" "clang -x c++"; do
		for form in "" -DSDT_USE_CALLS; do
			cc $compiler $form -Wno-unused-value -c use.c -o use.o || echo "$1 $compiler $form"
		done
	done
}
need clang
echo "-- CPython"
provider python; header -s p.d -o pydtrace_probes.h
sed 's/PYTHON_/PyDTrace_/' pydtrace_probes.h >py.h
use PyDTrace_ py.h
grep -c PYTHON_ py.h || :
echo "-- PostgreSQL"
provider postgresql; header -s p.d -o probes.h.tmp
sed -e 's/POSTGRESQL_/TRACE_POSTGRESQL_/g' -e 's/( *char \*/(const char */g' -e 's/, *char \*/, const char */g' probes.h.tmp >pg.h
use TRACE_POSTGRESQL_ pg.h
echo "-- PHP"
provider php; header -s p.d -o zend_dtrace_gen.h.bak
sed 's,PHP_,DTRACE_,g' zend_dtrace_gen.h.bak >php.h
use DTRACE_ php.h
echo "-- Ruby"
provider ruby; header -s p.d -o probes.h.tmp
sed -e 's/RUBY_/RUBY_DTRACE_/g' -e 's/PROBES_H_TMP/RUBY_PROBES_H/' -e 's/(char \*/(const char */g' -e 's/, char \*/, const char */g' probes.h.tmp >ruby.h
use RUBY_DTRACE_ ruby.h
grep RUBY_PROBES_H ruby.h
echo "-- Perl"
provider perl; header -s p.d -o perldtrace.h.in
sed -e '/const/!s/char \*/const char */g' perldtrace.h.in >perl.h
use PERL_ perl.h
echo "-- memcached"
provider memcached; header -s p.d -o memcached_dtrace.h
sed -e 's,void \*,const void \*,' memcached_dtrace.h | sed -e 's,char \*,const char \*,g' | tr '\t' ' ' >mc.h
use MEMCACHED_ mc.h
echo "-- Erlang"
provider erlang; header -s p.d -o erlang_dtrace.tmp
sed -e '/^#define[ 	]*ERLANG_[A-Z0-9_]*(.*)/y/ABCDEFGHIJKLMNOPQRSTUVWXYZ/abcdefghijklmnopqrstuvwxyz/' erlang_dtrace.tmp >erl.h
cat >erl.c <<'X'
#include "erl.h"
int main(int argc, char **argv)
{
	erlang_function_entry("a", argv[0], argc);
	erlang_gc_done(1);
	erlang_line_enabled();
	return 0;
}
X
cc gcc -Wno-unused-value -c erl.c -o erl.o
cc g++ -x c++ -Wno-unused-value -c erl.c -o erl.o
echo "-- OpenJDK: the program has included sys/sdt.h before; libvirt: it has not"
provider hotspot; header -s p.d -o hotspot.h
{ echo '#include <sys/sdt.h>'; cat hotspot.h; } >before.h
use HOTSPOT_ before.h
use HOTSPOT_ hotspot.h
echo "-- linked with nothing else"
gcc -I"$SDT" use.c -o use && ./use
