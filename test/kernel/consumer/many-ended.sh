# SPDX-License-Identifier: MIT
# @@worlds: user the module keeps the probes of processes, not dtrace
# @@timeout: 120
# dtrace reads the records of processes that have ended, and keeps nothing of them: a session traces more processes than
# it may have descriptors. The children of such processes are still traced.
. ../_lib.sh
ulimit -n 256

# did PID N - note that a process fires N times.
did()
{
	echo "count $1 $2" >>"$T/did"
	for i in $(seq "$2"); do
		echo "record $1 $i" >>"$T/did"
	done
}

# programs N - run N programs, one after the other, which fire 1 to 3 times; every tenth kills itself then.
programs()
{
	for program in $(seq "$1"); do
		set -- $((program % 3 + 1))
		[ $((program % 10)) = 0 ] && set -- "$1" die
		victim fire "$@" &
		did $! "$1"
		wait $! 2>/dev/null
	done
}

# parents N - run N programs, one after the other, each of which leaves a child that waits until it may fire.
parents()
{
	for parent in $(seq "$1"); do
		rm -f "$T/child"
		victim fork tell "$T/child" wait "$T/go.$parent" fire 2 end fire 1 &
		did $! 1
		wait $!
		await test -s "$T/child"
		did "$(cat "$T/child")" 2
	done
}

# children N - let the N children fire.
children()
{
	for child in $(seq "$1"); do
		echo go >"$T/go.$child"
	done
}

# descriptors - print how many descriptors the session has; regions - with how many processes it shares memory.
descriptors() { ls "/proc/$TRACE/fd" | wc -l; }
regions() { grep -c dtrace-region "/proc/$TRACE/maps"; }
has_no_region() { [ "$(regions)" = 0 ]; }

is_stopped() { grep -q '^State:.T' "/proc/$TRACE/status"; }

# totals N ARG... - trace 2 N programs and 5 parents with children, with these arguments, and compare. On a busy machine
# a program may be too slow to answer, and goes on untraced: then dtrace prints a message.
totals()
{
	n=$1
	shift
	: >"$T/did"
	rm -f "$T/trace.out"
	dtrace -wqZ "$@" -o "$T/trace.out" -n 'victim*:::tick { @[pid] = count(); @all = count(); }
		victim*:::tick { printf("record %d %d\n", pid, arg0); }
		BEGIN { stop(); }
		END { printa("count %d %@d\n", @); printa("all %@d\n", @all); }' 2>"$T/trace.err" &
	TRACE=$!
	await is_stopped
	kill -CONT $TRACE
	before=$(descriptors)
	programs "$n"
	parents 5
	programs "$n"
	few=$(regions)
	[ "$few" -ge 5 ] && [ "$few" -le 10 ] || echo "$few regions, not those of 5 parents and few more"
	children 5
	await has_no_region
	[ "$(descriptors)" -le "$before" ] || echo "$(descriptors) descriptors, not $before"
	untrace >"$T/seen"
	awk -v got="$T/got" -v want="$T/want" '
		/^dtrace: pid .*: Connection timed out$/ { sub(":", "", $3); late[$3] = 1; nlate++; next }
		FILENAME == ARGV[1] { if ($1 == "all") all = $2; else print >got; next }
		!($2 in late) { print >want; fired += $1 == "record" }
		END { if (all != fired || nlate > 5) print all, "hits of", fired ", programs that went on:", nlate }
		' "$T/seen" "$T/did"
	sort -o "$T/got" "$T/got"
	sort -o "$T/want" "$T/want"
	diff "$T/want" "$T/got" && echo "all hits"
}

pipes go.1 go.2 go.3 go.4 go.5
echo "-- buffers that are read all the time"
totals 100 -x switchrate=20ms
echo "-- buffers that are read at the end"
totals 50 -x bufpolicy=ring

echo "-- a program ends the session, and ends at once"
for run in 1 2 3 4 5; do
	trace -n 'victim*:::tick { exit(7); }'
	victim fire 1
	wait $TRACE
	echo "status $?"
done
