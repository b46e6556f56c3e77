# SPDX-License-Identifier: MIT
# Tcl for test/adopters/run: configure --enable-dtrace; -G with every object; 860 sites of 15 probes in one
# library, in most of which an argument list is ten long.
# shellcheck shell=sh disable=SC2034

package=tcl8.6
program=unix/libtcl8.6.so
own=none
provider='tcl*'

compile()
{
	cd unix
	if [ "$VARIANT" = off ]; then
		./configure
	else
		./configure --enable-dtrace
	fi
	make -j2
	make -j2 tcltest
}

# Tests that need no network and no clock of their own; interp-36.7 has ten milliseconds for something.
suite()
{
	cd unix
	LD_LIBRARY_PATH=$PWD TCL_LIBRARY=$PWD/../library ./tcltest ../tests/all.tcl -verbose pse \
		-tmpdir "$SCRATCH" -notfile "socket.test http*.test clock.test exec.test unixInit.test" -skip interp-36.7 \
		</dev/null ||
		echo "status $?"
}

guest_suite()
{
	cd unix
	LD_LIBRARY_PATH=$PWD TCL_LIBRARY=$PWD/../library ./tcltest ../tests/all.tcl -verbose pse \
		-tmpdir "$SCRATCH" -file "proc*.test apply.test upvar.test uplevel.test namespace.test list*.test
			dict.test coroutine.test string*.test" </dev/null || echo "status $?"
}

outcomes()
{
	sed -n 's/^++++ \([^ ]*\) PASSED$/\1: passed/p; s/^++++ \([^ ]*\) SKIPPED: \(.*\)/\1: skipped: \2/p
		s/^==== \([^ ]*\) .* FAILED$/\1: failed/p'
}
