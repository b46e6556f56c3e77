# SPDX-License-Identifier: MIT
# @@long: yes
# @@timeout: 60
# Unloading is safe while programs with registered probes run at full speed, also just after a
# session was killed.
. ../_lib.sh
for program in victim victim-called victim-static; do
	$program forever &
	VICTIMS="$VICTIMS $!"
done
for round in 1 2; do
	trace -n 'victim*::: { @[probename] = count(); }'
	victim fire 5
	kill -KILL $TRACE
	wait $TRACE 2>/dev/null
	rmmod dtrace && echo "round $round: unloaded"
	insmod /vm/dtrace.ko
done
for V in $VICTIMS; do
	kill -0 "$V" && echo alive
done
kill -KILL $VICTIMS
wait 2>/dev/null
victim fire 1 text
