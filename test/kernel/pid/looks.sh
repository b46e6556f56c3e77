# SPDX-License-Identifier: MIT
# @@worlds: kernel pid probes of all processes, and /proc/dtrace
# @@long: yes
# The default output: classic DTrace's columns, in order of time; and the lines that probes have in
# /proc/dtrace/fasttrap while they are enabled.
. ../_lib.sh
dtrace -n 'pid$target::do_nothing2:' -c traced 2>"$T/err" >"$T/printed"
cat "$T/err"
grep -v ^sum "$T/printed"	# which is the program's own

echo "-- enabled"
start victim sum 1
trace -n "pid$V:victim:sum_eight:entry, pid$V:victim:sum_eight:a"
sed "s/pid$V\b/pidPID/" /proc/dtrace/fasttrap
finish
untrace
echo "-- of every process"
start victim sum 1
trace -n 'pid*:victim:sum_eight:entry'
cat /proc/dtrace/fasttrap
finish
untrace
echo "-- disabled"
cat /proc/dtrace/fasttrap
