# SPDX-License-Identifier: MIT
# @@worlds: kernel what uprobes cannot step over
# A session asks for the sites of its registrations that have no breakpoints, and gets those of all of them.
. ../_lib.sh
pipes up go
every 1 1 0 999 "$T/up" "$T/go" >"$T/every" &
read -r V <"$T/up"
trace -n "pid$V::every:{ @ = count(); }"
refused=$(rows fasttrap | awk '$2 != 0' | wc -l)
finish
untrace >/dev/null
[ "$refused" -gt 10 ] && [ "$(grep -c '^no probe' "$T/every")" = "$refused" ] && echo "all are listed" || {
	echo "$refused have none:"
	grep '^no probe' "$T/every"
}
