# SPDX-License-Identifier: MIT
# CPython for test/adopters/run: configure --with-dtrace, whose conftest.d is `BEGIN{}`; a header that
# sed edits; -G with the four objects that have probes.
# shellcheck shell=sh disable=SC2034

package=python3.11
program=python
own=test_dtrace
provider='python*'

compile()
{
	if [ "$VARIANT" = off ]; then
		./configure --prefix=/opt/python
	else
		./configure --prefix=/opt/python --with-dtrace
	fi
	make -j2
	[ "$VARIANT" != on ] || make install DESTDIR="$PWD/root" ENSUREPIP=no
}

# Tests of the interpreter itself; --whole: make test's.
suite()
{
	if [ -n "$WHOLE" ]; then
		./python -m test -j2 --timeout 600
	else
		./python -m test -j2 --timeout 600 test_dtrace test_sys test_gc test_generators test_coroutines \
			test_exceptions test_scope test_functools test_import test_importlib test_threading \
			test_builtin test_class test_code test_compile test_contextlib test_decorators test_descr \
			test_dict test_frame test_grammar test_inspect test_itertools test_pickle \
			test_property test_setcomps test_sys_settrace test_sys_setprofile test_traceback test_weakref \
			test_subprocess test_fork1 test_re test_json test_faulthandler test_super test_with \
			test_yield_from test_audit test_bdb test_dis test_embed
	fi || echo "status $?"
}

# Run in a guest.
guest_suite()
{
	./python -m test -j1 --timeout 600 test_gc test_generators test_coroutines test_frame test_contextlib \
		test_with test_yield_from test_sys_settrace test_sys_setprofile || echo "status $?"
}

own_tests()
{
	./python -m unittest -v test.test_dtrace || echo "status $?"
}

own_outcomes()
{
	sed -n '/^test_.*\.DTrace/,/\.\.\. /p' | tr '\n' ' ' | sed 's/ \.\.\. \([A-Za-z]*\)/ ... \1\n/g' |
		sed -n 's/^ *\([a-z_]*\) (.*\.\(DTrace[A-Za-z]*\)[.)].* \.\.\. ok$/\2 \1: passed/p
			s/^ *\([a-z_]*\) (.*\.\(DTrace[A-Za-z]*\)[.)].* \.\.\. \(FAIL\|ERROR\)$/\2 \1: failed/p'
}

outcomes()
{
	sed -n 's/^.*\[ *[0-9/]*\] \(test_[A-Za-z0-9_]*\) passed.*/\1: passed/p
		s/^.*\[ *[0-9/]*\] \(test_[A-Za-z0-9_]*\) \(failed\|crashed\|timed out\).*/\1: failed/p
		s/^\(test_[A-Za-z0-9_]*\) skipped -- \(.*\)/\1: skipped: \2/p'
}
