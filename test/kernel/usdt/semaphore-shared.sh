# SPDX-License-Identifier: MIT
# @@worlds: kernel two sessions at one process, and 32-bit programs
# Five sites of one function share a semaphore: it reads 1 while they are traced, however many sessions do, and 0 after that.
. ../_lib.sh
for program in odd odd-i386; do
	pipes up go
	for sessions in 1 2; do
		echo "-- $program, sessions: $sessions"
		"$program" "$T/up" "$T/go" >"$T/printed" &
		read -r V <"$T/up"
		trace -n 'odd*:::several { @[arg0] = count(); } END { printa("%d: %@d\n", @); }'
		FIRST=$TRACE
		[ $sessions = 1 ] || session other -n 'odd*:::several { @ = count(); } END { printa("and %@d\n", @); }'
		release
		read -r V <"$T/up"
		[ $sessions = 1 ] || { kill -TERM $SESSION; wait $SESSION; output other; }
		untrace
		release
		wait "$V"
		cat "$T/printed"
	done
	rm "$T/up" "$T/go"
done
sites
