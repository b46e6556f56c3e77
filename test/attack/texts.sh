# SPDX-License-Identifier: MIT
# A user's program is a file whose name has commands for terminals. Root lists its probes, and the breakpoints in it: no control character
# is shown, not those of UTF-8 either.
# @@timeout: 60
. ./_lib.sh
chmod 711 "$T"
mkdir -m 777 "$T/own"
name=$(printf 'a\302\233m\033[2Jb')
pipes end
: >"$T/attack"
become groups 1000 gid 1000 uid 1000 run attack-maps "$T/own/$name" 1 1 <"$T/end" >"$T/attack" 2>&1 &
attack=$!
exec 3>"$T/end"
await grep -q go "$T/attack"
# shown - the standard input, whose control characters are shown as question marks
shown() { LC_ALL=C tr '\1-\11\13-\37\177-\237\302' '?'; }
dtrace -l -n 'maps*:::p' | awk 'NR == 2 { print $3 }' | shown
session root -n 'maps*:::p'
awk '/maps[0-9]/ { sub(".*/", ""); print }' /proc/dtrace/fasttrap | shown
awk '/maps[0-9]/ { print $3 }' /proc/dtrace/probes | cut -d : -f 2 | shown
kill -TERM $SESSION
wait $SESSION
exec 3>&-
wait $attack
