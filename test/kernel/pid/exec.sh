# SPDX-License-Identifier: MIT
# A process that executes another program is traced there from the first instruction on: functions of the program, of
# libraries that both programs have, and of one that it loads; also the same program twice, at the same addresses.
. ../_lib.sh
names='pid$target:traced:do_tail:entry, pid$target::do_hidden:return, pid$target:libc:printf:entry, pid$target:libc.so.6:puts:entry,
	pid$target:liblate:late_twice:entry, pid$target:a.out:do_nothing2:entry'
dtrace -Zqn "$names { @[probemod, probefunc] = count(); } END { printa(\"%s %s %@d\\n\", @); }" -x aggsortkey \
	-c "sh -c 'exec traced $BIN/liblate.so'" | sed /^$/d
echo "-- the same once more"
dtrace -qn 'pid$target:a.out:sum_eight:entry { @ = count(); } END { printa("%@d\n", @); }' \
	-c "victim fixed exec sum 2 exec sum 1" | sed /^$/d
rows processes | awk '/ pid/'
