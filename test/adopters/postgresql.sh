# SPDX-License-Identifier: MIT
# PostgreSQL for test/adopters/run: configure --enable-dtrace; types that are macros (-C); a header that
# sed edits; -G with more than seven hundred objects, and -o behind them.
# shellcheck shell=sh disable=SC2034

package=postgresql-15
program=root/bin/postgres
own=none
provider='postgresql*'
user=user
guest_parts="root src/test/regress"

compile()
{
	dtrace=
	[ "$VARIANT" = off ] || dtrace=--enable-dtrace
	# shellcheck disable=SC2086
	./configure --prefix="$PWD/root" --without-readline $dtrace
	make -j2
	make install
	make -j2 -C src/test/regress all
}

# regress TESTS-OR-SCHEDULE...: SQL tests against a server of their own.
regress()
{
	cd src/test/regress
	rm -rf "$SCRATCH"/*
	./pg_regress --temp-instance="$SCRATCH/instance" --bindir="$PWD/../../../root/bin" --inputdir=. \
		--outputdir="$SCRATCH" --dlpath=. --no-locale --encoding=UTF8 --port=5999 \
		--max-concurrent-tests=20 "$@" || echo "status $?"
	cat "$SCRATCH/regression.diffs" 2>/dev/null || true
}

suite()
{
	regress --schedule=parallel_schedule
}

# Run in a guest while everything is traced.
guest_suite()
{
	regress test_setup boolean char varchar text int2 int4 int8 float8 numeric uuid enum strings date time \
		timestamp interval transactions prepare plancache
}

outcomes()
{
	sed -n 's/^\(test\|     \) *\([a-z][a-z0-9_]*\) *\.\.\. ok .*/\2: passed/p
		s/^\(test\|     \) *\([a-z][a-z0-9_]*\) *\.\.\. FAILED .*/\2: failed/p'
}
