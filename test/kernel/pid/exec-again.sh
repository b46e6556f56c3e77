# SPDX-License-Identifier: MIT
# Programs one after the other in one process: by a chain, in a thread, by a script, after attempts that fail; children that execute
# programs; one that is killed; and one whose dtrace is killed while it waits.
# @@timeout: 120
. ../_lib.sh
sums()
{
	echo "$1"
	shift
	dtrace -Zq -x aggsortkey -c "$*" -n 'pid$target:victim:sum_eight:entry, pid$target:victim:sum_eight:return { @[probename] = count(); }
		END { printa("%s %@d\n", @); }' 2>&1 | sed /^$/d
}
sums "a chain" victim sum 1 exec sum 2 exec sum 3 exec sum 4
sums "in a thread" victim sum 1 thread sum 1 exec sum 2 end join
printf '#!/bin/sh\nnosuch 2>/dev/null\nPATH=/no:$PATH exec victim sum 2\n' >"$T/script"
chmod 755 "$T/script"
sums "a script, and attempts" victim sum 1 run "$T/script"
sums children victim fork exec sum 5 end vfork sum 6 end join fork vfork sum 7 end join end join sum 1 exec fork sum 1 end join sum 1
sums killed victim sum 1 exec sum 1 die

echo without dtrace
pipes near
start victim tell "$T/near" exec sum 3 print unharmed
trace -p $V -n 'pid$target:victim:sum_eight:entry { @ = count(); }'
kill -STOP $TRACE
release
read -r near <>"$T/near"	# an open that waits would be interrupted by the news that dtrace has stopped
await grep -qx 'State:.[SD].*' /proc/$V/status
kill -KILL $TRACE
wait $TRACE 2>/dev/null
wait $V
echo "status $?"
