# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# Stacks with names as keys of aggregations, and space that is not enough for the names.
. ./_lib.sh
UNWIND="-x unwind=fp"	# frames that only helpers find
stack '@[jstack(20, 2048)] = count()' ./script load ./libscript.so run main,leaf run main,leaf run main,other
echo "not enough"
stack '@[jstack(20, 16)] = count()' ./script load ./libscript.so run main,a_long_name,leaf
echo "options"
dtrace -q -Z $UNWIND -x jstackframes=3 -x jstackstrsize=1k -n 'script$target:::at { jstack(); }' \
	-c './script load ./libscript.so run main,middle,leaf' 2>&1 | shown
echo "json"
dtrace -q -Z $UNWIND -x oformat=json -n 'script$target:::at { jstack(20, 2048); }' \
	-c './script load ./libscript.so run main,lines' 2>&1 | shown |
	sed -e 's/"timestamp": [0-9]*/"timestamp": N/' -e 's/"cpu": [0-9]*/"cpu": N/' -e 's/"id": [0-9]*/"id": N/' \
		-e 's/script[0-9][0-9]*/scriptPID/'
