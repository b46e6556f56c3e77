# SPDX-License-Identifier: MIT
# _join.sh - for the cases about processes that can hardly be joined, or not at all. A case reads it with `. ./_join.sh`.
. ../_lib.sh
[ -p "$T/up" ] || pipes up go
TICKS='victim$target:::tick { @ = count(); } END { printa("%@d ticks\n", @); }'

# launch COMMAND... - start a victim that tells its number, after the verbs of COMMAND, and waits until release. It fires
# three times then. Sets $V, and $VICTIM to the command's number.
launch()
{
	"$@" tell "$T/up" wait "$T/go" fire 3 say "it lives" leave &
	VICTIM=$!
	read -r V <"$T/up"
	await told
}

# told - whether the victim has closed the pipe by which it has told its number. Where the descriptors of a process that
# hides its memory lead cannot be read.
told() { [ "$(ls "/proc/$V/fd" | grep -c '^[3-9]$')" = 0 ]; }

# own - what the victim has mapped and opened.
own()
{
	wc -l <"/proc/$V/maps"
	ls "/proc/$V/fd"
}

# finished - let the victim go on, by $GO if it does not wait for the usual, and wait for its end.
finished()
{
	write_line "${GO:-$T/go}"
	wait $VICTIM
	ended=$?
	[ $ended = 0 ] || echo "it ended with status $ended"
}

# refused [ARG...] - the process is not joined: dtrace says why, and leaves nothing in it. It goes on, after the command
# $THEN.
refused()
{
	before=$(own 2>&1)
	dtrace -q "$@" -p "$V" -n "$TICKS" >"$T/refused" 2>&1
	status=$?
	sed -e "s/\b$V\b/PID/g" -e "s/victim$V/victimPID/" -e /^$/d "$T/refused"
	echo "dtrace: status $status"
	[ "$(own 2>&1)" = "$before" ] || echo "it has something of dtrace's: $(own)"
	[ -z "$THEN" ] || $THEN
	finished
}

# traced [ARG...] - the process is traced, with all of its hits. When dtrace has ended, it has as many descriptors as before.
traced()
{
	before=$(ls "/proc/$V/fd")
	trace "$@" -p "$V" -n "$TICKS"
	[ "$(ls "/proc/$V/fd")" = "$before" ] || echo "it has something of dtrace's: $(ls -l "/proc/$V/fd")"
	finished
	wait $TRACE
	output
}
