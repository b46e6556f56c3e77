# SPDX-License-Identifier: MIT
# When a session has looked for processes, but does not trace yet, a program makes probes, another one hides its own,
# and a third one replaces one by another.
. ../_lib.sh
pipes enabled a1 b1 b2 c1 c2
runtime provider app probe f hidden 0 enable tell "$T/b1" wait "$T/b2" disable tell "$T/b1" wait "$T/b2" \
	enabled hidden &
read -r V <"$T/b1"
runtime provider app probe f removed 0 enable tell "$T/c1" wait "$T/c2" remove removed probe f later 0 enable \
	tell "$T/c1" until later "$T/end" enabled removed &
read -r V <"$T/c1"
late-go 'app*:::made { made = 1; } app*:::later { later = 1; } app*::: /made && later/ { trace("seen"); exit(0); }' \
	"$T/enabled" "$T/trace" >"$T/seen" &
SESSION=$!
read -r line <"$T/enabled"
runtime provider app probe f made 0 enable tell "$T/a1" until made "$T/end" &
read -r V <"$T/a1"
echo go >"$T/b2"
read -r V <"$T/b1"
echo go >"$T/c2"
read -r V <"$T/c1"
: >"$T/trace"
wait $SESSION
grep -q seen "$T/seen" && echo seen
: >"$T/end"
wait "$V"
echo go >"$T/b2"
wait
