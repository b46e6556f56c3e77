# SPDX-License-Identifier: MIT
# _resumed.sh - functions of cases in which sessions begin and end at a program whose threads hit its site all the time. A case
# reads it with `. ./_resumed.sh`.
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

# ask WORD - let the program's threads stop or go; set $answer to its answer: to stop, how often the site was hit.
ask()
{
	echo "$1" >&8
	read -r answer <&9
}

# mappings - print how many mappings the program has, and save them: no_more() prints the new ones.
mappings() { tee "$T/maps" <"/proc/$V/maps" | wc -l; }
descriptors() { ls "/proc/$V/fd" | wc -l; }

# no_more MAPPINGS DESCRIPTORS - print whether the program has no more of them than before.
no_more()
{
	now=$(wc -l <"/proc/$V/maps")
	[ "$now" -le "$1" ] && echo "no more mappings" || { echo "$now mappings, not $1"; diff "$T/maps" "/proc/$V/maps"; }
	[ "$(descriptors)" = "$2" ] && echo "no more descriptors" || { echo "$(descriptors) descriptors, not $2"; ls -l "/proc/$V/fd"; }
}

# all_hits LEAST - print whether a session counts all hits, which are LEAST or more.
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
