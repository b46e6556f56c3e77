# SPDX-License-Identifier: MIT
# @@long: yes
# @@timeout: 120
# The firing that ends a session is counted, although other threads are at the site all the time, and the processors are busy:
# some of the threads are preempted in it when dtrace reads what they have counted.
. ./_resumed.sh
resume 2
for i in 1 2 3; do
	while [ ! -e "$T/stop" ]; do :; done &
	JOBS="$JOBS $!"
done
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	dtrace -qp $V -n 'resumed$target:::hit { @ = count(); exit(0); }' >"$T/hits" 2>&1
	grep -qx ' *[1-9][0-9]*' "$T/hits" && echo counted || cat "$T/hits"
done | sort | uniq -c | sed 's/^ *//'
touch "$T/stop"
wait $JOBS
ask stop
kill $V
