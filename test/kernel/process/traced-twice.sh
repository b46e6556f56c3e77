# SPDX-License-Identifier: MIT
# @@worlds: user any number of sessions of the module trace a process
# A second session is refused a process that is traced. A pattern that matches the process reports the reason once, however
# often the process comes to the session with a library.
. ../_lib.sh
start victim repeat 3 dlopen "$BIN/libplug.so" plug 1 dlclose end fire 3
session first -p $V -n 'victim$target:::tick { @ = count(); } END { printa("%@d ticks\n", @); }'
FIRST=$SESSION
hide() { sed -e "s/\b$V\b/PID/g" -e "s/($FIRST)/(DTRACE)/" -e /^$/d; }

echo "-- by its number"
dtrace -q -p $V -n 'victim$target:::tick { }' 2>&1 | hide
echo "-- by a pattern"
trace -n 'victim*:::tick, plug*:::hit { }'
finish
wait $FIRST
untrace | hide
echo "-- the first session"
output first
