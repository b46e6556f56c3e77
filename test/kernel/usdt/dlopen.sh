# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# A library's probes are added by dlopen and removed by dlclose, as often as that happens.
. ../_lib.sh
pipes a b c d e f
list()
{
	dtrace -l -n "plug$V:::hit" 2>&1 |
		awk '$5 == "hit" { print "listed:", $3, $4, $5 } /failed/ { print "not listed" }'
}
start victim dlopen "$BIN/libplug.so" tell "$T/a" wait "$T/b" plug 2 dlclose text \
	tell "$T/c" wait "$T/d" dlopen "$BIN/libplug.so" plug 3 text tell "$T/e" wait "$T/f"
trace -n 'plug*:::hit { printf("hit %d\n", arg0); }'
list
release
read -r V <"$T/a"
list
echo go >"$T/b"
read -r V <"$T/c"
list
echo go >"$T/d"
read -r V <"$T/e"
list
untrace
echo go >"$T/f"
wait "$V"
