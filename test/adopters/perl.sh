# SPDX-License-Identifier: MIT
# Perl for test/adopters/run: Configure -Dusedtrace, dtrace -h once and -G three times over copies of
# all objects.
# shellcheck shell=sh disable=SC2034

package=perl
program=perl
own=run/dtrace.t
provider='perl*'

compile()
{
	case $VARIANT in
	off) dtrace= ;;
	on) dtrace=-Dusedtrace=$(command -v dtrace) ;;
	*) dtrace=-Dusedtrace=/usr/bin/dtrace ;;
	esac
	# shellcheck disable=SC2086
	sh ./Configure -des -Dcc=gcc -Doptimize=-O2 -Dprefix=/opt/perl -Dman1dir=none -Dman3dir=none $dtrace
	make -j2
	make -j2 test_prep
	[ "$VARIANT" != on ] || make install DESTDIR="$PWD/root"
}

# --malloc: the whole suite of Test::Simple, which most modules' tests are written with; or of the core's
# tests the directories in CORE.
calls_suite()
{
	cd t
	# shellcheck disable=SC2046
	./perl harness $([ -n "$CORE" ] && core_tests || find ../cpan/Test-Simple/t -name '*.t' | sort) ||
		echo "status $?"
}

# The core's tests, as t/TEST -core has them, or those of the directories in CORE.
core_tests()
{
	for directory in ${CORE:-base comp run cmd io re opbasic op uni mro perf lib}; do
		case $directory in
		op) echo op/*.t op/*/*.t ;;
		lib) sed -n 's,^\(lib/[a-z][^[:space:]]*\.t\)[[:space:]].*,../\1,p' ../MANIFEST ;;
		*) echo "$directory"/*.t ;;
		esac
	done
}

# --whole: the tests of all libraries and the porting tests, too.
suite()
{
	cd t
	# shellcheck disable=SC2046
	if [ -n "$WHOLE" ]; then
		PERL_TEST_HARNESS_ASAP=1 TEST_JOBS=2 ./perl harness
	else
		TEST_JOBS=2 ./perl harness $(core_tests)
	fi || echo "status $?"
}

# The files that these tests need.
guest_parts="t lib cpan/Test-Simple pod regen utils perl MANIFEST TestInit.pm config.sh"

# Run in a guest: nine million operations, each of which fires a probe.
guest_suite()
{
	cd t
	./perl harness base/*.t cmd/*.t comp/*.t op/closure.t op/die.t op/fork.t op/method.t || echo "status $?"
}

own_tests()
{
	cd t
	./perl -I../lib run/dtrace.t || echo "status $?"
}

own_outcomes()
{
	sed -n 's/^ok [0-9]* - \(.*\)/\1: passed/p; s/^not ok [0-9]* - \(.*\)/\1: failed/p'
}

outcomes()
{
	sed -n 's,^\([A-Za-z0-9_./-]*\.t\) \.\.*,\1,p' |
		sed 's/ ok$/: passed/; t; s/ skipped: /: skipped: /; t; s/ .*/: failed/'
}
