# SPDX-License-Identifier: MIT
# With -Z, sites that a library has only in SystemTap's notes are found when a program loads it by dlopen, from the first hit on, also
# after dlclose, and after the library has been mapped again where it was; in a program that dtrace starts, and in one that runs.
. ../_lib.sh
noted="dlopen $BIN/libplug-noted.so"
hits='plug$target:::hit { printf("%s %s %d\n", probemod, probefunc, arg0); }'
dtrace -Zqn "$hits" -c "$BIN/victim $noted plug 3 dlclose $noted plug 2" | sed "/^$/d"
dtrace -Zqn "$hits"' victim$target:::tick { printf("tick %d\n", arg0); }' -c "$BIN/victim fire 1 $noted plug 1" | sed "/^$/d"
dtrace -Zqn "$hits" -c "$BIN/remaps $BIN/libplug-noted.so $BIN/libplug.so" | sed "/^$/d"
start victim $noted plug 2
trace -Z -p "$V" -n "$hits"
finish
wait $TRACE
output
