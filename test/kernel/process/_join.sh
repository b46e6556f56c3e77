# SPDX-License-Identifier: MIT
# _join.sh - functions of cases about processes that are hard or impossible to join. A case reads it with `. ./_join.sh`.
. ../_lib.sh
[ -p "$T/up" ] || pipes up go
TICKS='victim$target:::tick { @ = count(); } END { printa("%@d ticks\n", @); }'

# launch COMMAND... - start a victim that carries out the verbs of COMMAND, writes its number, waits for release, and fires
# three times. Set $V, and $VICTIM to the command's number.
launch()
{
	"$@" tell "$T/up" wait "$T/go" fire 3 say "it lives" leave &
	VICTIM=$!
	read -r V <"$T/up"
	await told
}

# told - whether the victim has closed the pipe into which it has written its number. If it hides its memory, only the
# numbers of its descriptors can be read.
told() { [ "$(ls "/proc/$V/fd" | grep -c '^[3-9]$')" = 0 ]; }

# own - print the victim's number of mappings, and its descriptors.
own()
{
	wc -l <"/proc/$V/maps"
	ls "/proc/$V/fd"
}

# finished - let the victim go on, by the pipe $GO if it does not wait for $T/go, and wait for its end.
finished()
{
	write_line "${GO:-$T/go}"
	wait $VICTIM
	ended=$?
	[ $ended = 0 ] || echo "it ended with status $ended"
}

# refused [ARG...] - check that the process is not joined, and that dtrace says why and leaves nothing in it. Let it go on,
# after the command $THEN.
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

# List the descriptors of the victim, as each thread has them. A thread that has ended has none, and
# what it had may be root's to read.
descriptors()
{
	ls -l "/proc/$V/task/"*/fd 2>/dev/null | sed -n 's/.* \([0-9]* -> \)/\1/p'
}

# traced [ARG...] - trace the process, and print its hits. It must have the same descriptors as before.
traced()
{
	before=$(descriptors)
	[ "$before" ] || echo "its descriptors cannot be listed"
	trace "$@" -p "$V" -n "$TICKS"
	[ "$(descriptors)" = "$before" ] || echo "it has something of dtrace's: $(descriptors)"
	finished
	wait $TRACE
	output
}
