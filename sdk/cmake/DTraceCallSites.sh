#!/bin/sh
# SPDX-License-Identifier: MIT
# DTraceCallSites.sh DTRACE... -s PROVIDER.d -- COMPILER... -o OBJECT...
# Runs the compiler, then has dtrace -G turn the probe calls of the object into sites.
set -e
dtrace=
while [ "$1" != -- ]; do
	dtrace="$dtrace '$(printf '%s\n' "$1" | sed "s/'/'\\\\''/g")'"
	shift
done
shift
"$@"
while [ $# -gt 1 ]; do
	if [ "$1" = -o ]; then
		eval "$dtrace" -G -o '"$2.dtrace"' '"$2"'
		rm -f "$2.dtrace"
		exit
	fi
	shift
done
