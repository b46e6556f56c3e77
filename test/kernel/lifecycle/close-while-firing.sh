# SPDX-License-Identifier: MIT
# @@timeout: 60
# Sessions begin and end, half of them killed, while they trace a program that fires all the time.
. ../_lib.sh
victim forever &
V1=$!
victim thread forever end thread forever end join &
V2=$!
for round in 1 2; do
	trace -n '
victim*:::tick, victim*:::guarded { @[probename] = count(); self->n++; x[arg0 & 7] = self->n; }
victim*:::tick /!ticked++/ { printf("@tick\n"); }
victim*:::guarded /!guarded++/ { printf("@guarded\n"); }'
	for probe in tick guarded; do
		await grep -q "@$probe" "$T/trace.out" && echo "$probe fires"
	done
	[ "$(sites)" -gt 0 ] && echo "locations are patched"
	[ $((round % 2)) = 0 ] && kill -KILL $TRACE
	kill -TERM $TRACE 2>/dev/null
	wait $TRACE 2>/dev/null
	echo "patched: $(sites)"
done
kill -0 $V1 && kill -0 $V2 && echo both alive
kill -KILL $V1 $V2
wait
