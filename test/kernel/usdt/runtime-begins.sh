# SPDX-License-Identifier: MIT
# A session begins while a program makes a probe, and another one while a program hides its probe: the programs have
# looked for sessions before, and there was none.
. ../_lib.sh
for change in add remove; do
	pipes told.$change go.$change
	hesitant $change "$T/told.$change" "$T/go.$change" "$T/end.$change" >"$T/program" &
	V=$!
	read -r _ <"$T/told.$change"
	trace -n 'hesitant*:::hit /!n++/ { printf("hit\n"); } END { printf("end\n"); }'
	: >"$T/go.$change"
	read -r _ <"$T/told.$change"
	[ $change = add ] && await grep -q hit "$T/trace.out"
	: >"$T/end.$change"
	wait $V
	cat "$T/program"
	untrace
done
