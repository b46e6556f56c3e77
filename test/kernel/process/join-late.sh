# SPDX-License-Identifier: MIT
# @@worlds: user the module stops no thread by ptrace
# A process is killed while its main thread has not yet stopped for dtrace: its parent learns of the end at once, though
# dtrace goes on.
. ../_lib.sh
pipes up go nap in other
exec 8<>"$T/in"
victim wait "$T/other" &
OTHER=$!
{
	victim tell "$T/up" thread wait "$T/go" dlopen "$BIN/libplug.so" end wait "$T/nap" asleep <"$T/in"
	echo "its parent got status $?" >"$T/status"
} 2>"$T/killed" &
read -r V <"$T/up"
trace -p "$V" -p $OTHER -n 'pid$target:libplug.so::entry'
write_line "$T/nap"
await grep -q '^State:.D' "/proc/$V/status"
release
await grep -q 'timed out' "$T/trace.err"
kill -KILL "$V"
await test -s "$T/status"
cat "$T/status"
kill -0 $TRACE && echo "dtrace goes on"
untrace >"$T/out" # which sites have no breakpoint
