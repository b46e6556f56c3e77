# SPDX-License-Identifier: MIT
# A process executes another program while dtrace compiles: the new program is traced. The "preprocessor" of the second
# clause waits until it runs.
. ../_lib.sh
pipes here on go2
cat >"$T/cpp" <<END
#!/bin/sh
if [ -e "$T/second" ]; then
	echo >"$T/here"
	read -r _ <"$T/on"
fi
: >"$T/second"
exec cat
END
chmod +x "$T/cpp"

# compiling WHAT DESCRIPTION - WHAT: of options of dtrace.
compiling()
{
	rm -f "$T/second"
	start victim fire 1 exec tell "$T/up" wait "$T/go2" fire 4 text
	# shellcheck disable=SC2046
	dtrace -Cq -x cpppath="$T/cpp" $(echo "$1" | sed "s/PID/$V/") -n "$(echo "$2" | sed "s/PID/$V/") { @ = count(); }" \
		-n 'BEGIN { printf("@tracing\n"); } END { printa("%@d hits\n", @); }' >"$T/trace.out" 2>"$T/trace.err" &
	TRACE=$!
	read -r _ <"$T/here"
	release
	read -r _ <"$T/up"
	write_line "$T/on"
	await is_tracing $TRACE "$T/trace.out"
	write_line "$T/go2"
	wait "$V"
	kill -TERM $TRACE 2>/dev/null
	wait $TRACE
	output
}
compiling "-p PID" 'victim$target:::tick'
compiling "" 'victimPID:::tick'
compiling "" 'victim*:::tick'
