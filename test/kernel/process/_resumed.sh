# SPDX-License-Identifier: MIT
# _resumed.sh - for the cases in which sessions come and go at a program whose threads hit its site all the time. A case reads it
# with `. ./_resumed.sh`.
. ../_lib.sh

# resume THREADS - start the program, and wait until it has begun. Sets $V.
resume()
{
	pipes in out
	resumed "$1" <"$T/in" >"$T/out" &
	V=$!
	exec 8>"$T/in" 9<"$T/out"
	ask stop
	ask go
}

# ask WORD - let the program's threads stop or go; $answer becomes what it says: to stop, how often the site was hit.
ask()
{
	echo "$1" >&8
	read -r answer <&9
}

# mappings - how many mappings the program has; no_more() says which are new then.
mappings() { tee "$T/maps" <"/proc/$V/maps" | wc -l; }
descriptors() { ls "/proc/$V/fd" | wc -l; }

# no_more MAPPINGS DESCRIPTORS - judge what the program has of both.
no_more()
{
	now=$(wc -l <"/proc/$V/maps")
	[ "$now" -le "$1" ] && echo "no more mappings" || { echo "$now mappings, not $1"; diff "$T/maps" "/proc/$V/maps"; }
	[ "$(descriptors)" = "$2" ] && echo "no more descriptors" || { echo "$(descriptors) descriptors, not $2"; ls -l "/proc/$V/fd"; }
}

# all_hits LEAST - judge whether a session counts all hits, which are LEAST or more.
all_hits()
{
	ask stop
	trace -p $V -n 'resumed$target:::hit { @ = count(); } END { printa("%@d\n", @); }'
	ask go
	ask stop
	untrace >/dev/null
	seen=$(grep "^[0-9]" "$T/trace.out")
	[ "$seen" = "$answer" ] && [ "$answer" -ge "$1" ] && echo "all hits" || { echo "seen $seen, fired $answer"; cat "$T/trace.err"; }
}
