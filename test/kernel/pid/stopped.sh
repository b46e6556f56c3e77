# SPDX-License-Identifier: MIT
# @@timeout: 60
# A stopped process can be traced by its number, and stays stopped; also a process of 300 threads, each
# of which calls the function.
. ../_lib.sh
f='pid$target:victim:sum_eight'
count="$f:entry { @e = count(); } $f:return { @r = count(); } END { printa(\"%@d entries, %@d returns\\n\", @e, @r); }"

start victim sum 2
kill -STOP "$V"
await grep -q '^State:.T' "/proc/$V/status"
trace -p "$V" -n "$count"
sites
grep -o '^State:.T' "/proc/$V/status"
kill -CONT "$V"
await grep -q '^State:.S' "/proc/$V/status"	# the shell is told of it first, which would interrupt release
finish
wait $TRACE
output

n=0
while [ $n -lt 300 ]; do
	fifos="$fifos $T/$n"
	threads="$threads thread wait $T/$n sum 1 end"
	n=$((n + 1))
done
mkfifo $fifos
victim $threads tell "$T/up" wait "$T/go" join &
read -r V <"$T/up"
grep Threads "/proc/$V/status"
trace -p "$V" -n "$count"
for fifo in $fifos; do
	echo go >"$fifo"
done
finish
wait $TRACE
output
sites
