# SPDX-License-Identifier: MIT
# A library that a program has loaded makes probes by its own copy of the code that the program uses too.
# They end when the library is unloaded, before a session begins or while it traces.
. ../_lib.sh
pipes one two
list()
{
	dtrace -l -n 'app*:::' -n 'lib*:::' 2>/dev/null | awk '$2 ~ /^(app|lib)[0-9]/ { print $3, $4, $5 }'
}
step()
{
	echo go >"$T/two"
	read -r V <"$T/one"
}
next="tell $T/one wait $T/two"
runtime provider app probe f a 0 enable dlopen "$BIN/libruntime.so" $next plug 2 fire a 1 $next dlclose $next \
	dlopen "$BIN/libruntime.so" $next plug 3 fire a 1 dlclose dlopen "$BIN/libruntime.so" plug 4 &
read -r V <"$T/one"
list
trace -n 'lib*:::hit, app*:::a { @[probemod, probename] = count(); } END { printa("%s %s %@d\n", @); }'
step
untrace
step
echo unloaded:
list
step
echo loaded again:
list
trace -n 'lib*:::hit, app*:::a { @[probemod, probename] = count(); } END { printa("%s %s %@d\n", @); }'
echo go >"$T/two"
wait "$V"
untrace
