# SPDX-License-Identifier: MIT
# Libraries that are loaded at one address in turn, also in threads; children that load libraries are not traced; a process that is
# killed; and one whose dtrace is killed while the process waits for dtrace to read a library.
. ../_lib.sh
cp "$BIN/libplug-noted.so" "$T/libone.so"
cp "$BIN/libplug-noted.so" "$T/libtwo.so"
one="dlopen $T/libone.so plug 1 dlclose" two="dlopen $T/libtwo.so plug 2 dlclose"
probes='pid$target::plug_fire:entry, pid$target::plug_fire:return { @[probemod, probename] = count(); }
	END { printa("%s %s %@d\n", @); }'
plugs()
{
	dtrace -Zq -x aggsortkey -c "victim $*" -n "$probes" 2>&1 | sed /^$/d
}
echo taking turns
plugs repeat 5 $one $two end
echo in a thread, after one that has ended
plugs thread $one $two end join $one $two thread $two end join
echo in children
plugs fork $one end vfork $one end join fork $two $two end $one join print unharmed
echo killed
plugs $one dlopen "$T/libtwo.so" plug 1 die

echo without dtrace
pipes near
start victim tell "$T/near" dlopen "$T/libtwo.so" plug 2 print unharmed
trace -p $V -n "$probes"
kill -STOP $TRACE
release
read -r near <>"$T/near"	# an open that waits would be interrupted by the news that dtrace has stopped
await grep -qx 'State:.[SD].*' /proc/$V/status
kill -KILL $TRACE
wait $TRACE 2>/dev/null
wait $V
echo "status $?"
