# SPDX-License-Identifier: MIT
# A function that begins with a static probe has both probes there, in programs at any address: in a
# new program, in one that a traced program executes, and in one that runs.
. ../_lib.sh
ENTRIES='pid$target:a.out:leading_*:entry { @[probefunc, probename] = count(); }'
HITS='leading*:::one, leading*:::two { @[probefunc, probename] = count(); }'
END='END { printa("%s:%s %@d\n", @); }'
for program in leading leading-nopie leading-static; do
	echo $program
	dtrace -q -x aggsortkey -n "$ENTRIES $HITS $END" -c $program | sed /^$/d
	dtrace -q -x aggsortkey -n "$ENTRIES $END" -c $program | sed /^$/d
	dtrace -Zq -x aggsortkey -n "$HITS $ENTRIES $END" -c "leading $program" | sed /^$/d
	mkfifo "$T/in"
	$program <"$T/in" >/dev/null &
	V=$!
	exec 3>"$T/in"
	await grep -q /$program "/proc/$V/maps"
	dtrace -wq -x aggsortkey -n "$HITS $ENTRIES $END"' BEGIN { system("echo >%s", $$1); }' -p $V "$T/in" | sed /^$/d
	exec 3>&-
	rm "$T/in"
done
