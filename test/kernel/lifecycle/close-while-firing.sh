# SPDX-License-Identifier: MIT
# @@timeout: 60
# Sessions come and go, half of them killed, while a program fires all the time.
. ../_lib.sh
victim forever &
V1=$!
victim thread forever end thread forever end join &
V2=$!
for round in 1 2; do
	trace -n '
victim*:::tick, victim*:::guarded { @[probename] = count(); self->n++; x[arg0 & 7] = self->n; }'
	[ $((round % 2)) = 0 ] && kill -KILL $TRACE
	kill -TERM $TRACE 2>/dev/null
	wait $TRACE 2>/dev/null
	echo "patched: $(sites)"
done
kill -0 $V1 && kill -0 $V2 && echo both alive
kill -KILL $V1 $V2
wait
