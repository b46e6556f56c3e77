# SPDX-License-Identifier: MIT
# However tracing ends, the program's text is restored, is-enabled code is off, and no patch is
# left.
. ../_lib.sh
pipes mid on

# ends HOW COMMAND... - trace a victim, end tracing by COMMAND, and have the victim compare its text
# with its file before and after.
ends()
{
	how=$1
	shift
	echo "-- $how"
	start victim fire 1 guarded 1 text tell "$T/mid" wait "$T/on" fire 1 guarded 1 text
	trace -n "victim$V:::tick, victim$V:::guarded { @ = count(); }" $MORE
	release
	read -r V <"$T/mid"
	"$@"
	echo go >"$T/on"
	wait "$V"
	wait $TRACE 2>/dev/null
	echo "patched: $(sites)"
}


MORE=
ends "SIGTERM" eval 'kill -TERM $TRACE; wait $TRACE'
ends "SIGKILL" eval 'kill -KILL $TRACE; wait $TRACE 2>/dev/null'
MORE='-n victim*:::pair{exit(0);}'
ends "exit()" eval 'victim pair 1; wait $TRACE'
